"""What goes wrong on the way to AWS, as a sentence. Nobody is shown a traceback for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's, not Python's
    HTTPClientError,
    ProfileNotFound,
)

from console.errors import ConsoleError, Refused
from lambdas.agent.errors import StepError
from sandbox.errors import SandboxError

_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"}
_UNKNOWN = {
    "InvalidClientTokenId",
    "UnrecognizedClientException",
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
}


@contextmanager
def told_in_sentences() -> Iterator[None]:
    try:
        yield
    except StepError as error:  # of an adapter, whose words are for the log of a function
        raise _told(error.__cause__ or error) from error
    except (SandboxError, ClientError, BotoCoreError) as error:
        raise _told(error) from error


def _told(error: BaseException) -> ConsoleError:
    match error:
        case SandboxError():
            return Refused(str(error))
        case ProfileNotFound():
            return Refused(f"{error}. Mend AWS_PROFILE, or unset it.")
        case ClientError():
            return _answered(error)
        case ConnectionError() | HTTPClientError():
            return _not_reached(error)
        case BotoCoreError():
            return Refused(f"AWS could not be asked: {error}")
    return Refused(f"{error}.")


def _answered(error: ClientError) -> ConsoleError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    said = str(error.response.get("Error", {}).get("Message", ""))
    if code in _EXPIRED:
        return Refused("Your AWS credentials have expired: log in again (`aws sso login`).")
    if code in _UNKNOWN:
        return Refused(f"AWS does not know your credentials ({code}): check AWS_PROFILE.")
    if code.startswith("AccessDenied"):
        return Refused(f"You may not do that with these credentials: {said}")
    return Refused(f"AWS refused {error.operation_name} with {code}: {said}")


def _not_reached(error: ConnectionError | HTTPClientError) -> ConsoleError:
    endpoint = str(error.kwargs.get("endpoint_url", ""))
    if urlsplit(endpoint).hostname == "127.0.0.1":
        return Refused(
            f"The sandbox at {endpoint} does not answer any more: "
            "`./ratchet sandbox status` tells how it stands, `make sandbox` starts it."
        )
    return Refused(f"AWS could not be reached. Check the network and the region. ({error})")
