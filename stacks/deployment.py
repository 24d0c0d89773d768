"""What differs between one deployment and another. Everything else is the same template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from aws_cdk import (
    CliCredentialsStackSynthesizer,
    DefaultStackSynthesizer,
    IReusableStackSynthesizer,
)
from aws_cdk import aws_lambda as lambda_

from lambdas.agent.endpoints import Endpoint
from stacks.bedrock import is_model_name
from stacks.bundles import AWS, Target
from stacks.timetable import Scheduled

MODEL_APIS = ("responses", "chat")
_PRICE = re.compile(r"\d{1,6}(\.\d{1,6})?/\d{1,6}(\.\d{1,6})?", re.ASCII)
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A deployment to AWS, unless its fields say otherwise.

    keeps_data       the table and the bucket outlive the stack
    approval_window_seconds  how long a report waits for a person
    execution_days   after which a run is ended, whatever it waits for
    sources_at_once  sources that are read side by side
    retention_days   of records after their last write, and of the artifacts behind a report
    abandoned        what the sweeper does with a run whose execution is over: resume, or park
    contact          told to every site that is read: an address or a page of yours
    seconds_between  pause from one request to a host to the next, of all runs together
    source_bucket    a bucket of yours whose objects may be sources, as s3://bucket/key; empty: none
    loopback_site    host:port on this machine that may be read; the sandbox's only
    execute_api      where this machine's HTTP APIs answer; the sandbox's only
    chaos            deaths of the functions' processes, on purpose; the sandbox's only
    model_url        where an OpenAI-compatible model answers; without any, findings are ranked
    model_name       what the model is called there
    model_secret     the name of the Secrets Manager secret with its key; empty: it asks for none
    model_api        how it is asked: "responses" (background jobs) or "chat" (answers at once)
    bedrock_model    a model's id at Bedrock, or an inference profile's id or ARN; then the default
    model_price      of that model, as "INPUT/OUTPUT" in dollars for a million tokens
    bedrock_price    the same of the model at Bedrock
    ocr              scanned PDFs are read by Textract
    schedules        runs by the clock
    webhooks         programs that are told what becomes of tasks
    mail             addresses of people who are told, and asked to confirm that first
    target           what the bundles are built for
    bootstrap        what plays Lambda's runtime in the sandbox; empty on AWS
    """

    keeps_data: bool = True
    approval_window_seconds: int = 72 * 3600
    execution_days: int = 30
    sources_at_once: int = 10
    retention_days: int = 90
    abandoned: Literal["resume", "park"] = "resume"
    contact: str = "set `contact` in cdk.json to your address"
    seconds_between: float = 1.0
    source_bucket: str = ""
    loopback_site: str = ""
    execute_api: str = ""
    chaos: str = ""
    model_url: str = ""
    model_name: str = ""
    model_secret: str = ""
    model_api: str = "responses"
    bedrock_model: str = ""
    model_price: str = ""
    bedrock_price: str = ""
    ocr: bool = False
    schedules: tuple[Scheduled, ...] = ()
    webhooks: tuple[Endpoint, ...] = ()
    mail: tuple[str, ...] = ()
    target: Target = AWS
    bootstrap: str = ""

    def __post_init__(self) -> None:
        if self.loopback_site and not self.is_sandbox:
            raise ValueError(
                f"loopback_site is {self.loopback_site!r} in a deployment to AWS: only the sandbox "
                "may read an address of its own machine, remove the setting"
            )
        if self.chaos and not self.is_sandbox:
            raise ValueError(
                f"chaos is {self.chaos!r} in a deployment to AWS: only the sandbox's functions may "
                "be told to die, remove the setting"
            )
        if not 0 <= self.seconds_between <= 60:
            raise ValueError(
                f"seconds_between is {self.seconds_between}: write how many seconds shall pass "
                "between two requests to one host, from 0 to 60"
            )
        if self.source_bucket and not _BUCKET.fullmatch(self.source_bucket):
            raise ValueError(
                f"source_bucket is {self.source_bucket!r}: write the name of one bucket, as in "
                "my-reports, without s3:// and without a key"
            )
        if self.model_url:
            self._check_model()
        if self.model_api not in MODEL_APIS:
            raise ValueError(
                f"model_api is {self.model_api!r}: write one of {', '.join(MODEL_APIS)}"
            )
        if self.bedrock_model and not is_model_name(self.bedrock_model):
            raise ValueError(
                f"bedrock_model is {self.bedrock_model!r}: write a model's id, as in "
                "amazon.nova-lite-v1:0, or an inference profile's id or ARN"
            )
        self._check_prices()
        if self.approval_window_seconds >= self.execution_days * 86_400:
            raise ValueError(
                f"an approval may take {self.approval_window_seconds} s, but a run only "
                f"{self.execution_days} days: lengthen `execution_days`"
            )

    def _check_prices(self) -> None:
        for name, price in (("model", self.model_price), ("bedrock", self.bedrock_price)):
            if price and not _PRICE.fullmatch(price):
                raise ValueError(
                    f'{name}_price is {price!r}: write "INPUT/OUTPUT" in dollars for a million '
                    'tokens, as in "0.80/4"'
                )

    def _check_model(self) -> None:
        parts = urlsplit(self.model_url)
        is_here = self.is_sandbox and parts.scheme == "http" and parts.hostname == "127.0.0.1"
        if not (parts.scheme == "https" and parts.hostname) and not is_here:
            raise ValueError(
                f"model_url is {self.model_url!r}: its key and the pages' text are sent there, so "
                "it must begin with https://"
            )
        if not self.model_name:
            raise ValueError(f"model_url is {self.model_url!r} without a `model_name`: set it too")

    @property
    def is_sandbox(self) -> bool:
        return bool(self.bootstrap)

    @property
    def speaks_tls(self) -> bool:
        """The sandbox's account answers on plain HTTP, on a loopback address of this machine."""
        return not self.is_sandbox

    @property
    def runtime(self) -> lambda_.Runtime:
        """In the sandbox AWS's own runtime client is the bootstrap: errors keep their names."""
        return lambda_.Runtime.PROVIDED_AL2023 if self.is_sandbox else lambda_.Runtime.PYTHON_3_13

    @property
    def architecture(self) -> lambda_.Architecture:
        is_arm = self.target.architecture in {"aarch64", "arm64"}
        return lambda_.Architecture.ARM_64 if is_arm else lambda_.Architecture.X86_64

    @property
    def extra_files(self) -> Mapping[str, str]:
        return {"bootstrap": self.bootstrap} if self.is_sandbox else {}

    @property
    def synthesizer(self) -> IReusableStackSynthesizer:
        """With IAM enforced the sandbox's bootstrap roles cannot read their own bucket."""
        return CliCredentialsStackSynthesizer() if self.is_sandbox else DefaultStackSynthesizer()
