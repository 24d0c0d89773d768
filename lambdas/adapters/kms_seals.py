"""Secrets of a few kilobytes under a key in AWS KMS: whoever reads the ledger reads none of them.

What a secret is about is its encryption context: it is bound to it, and stands in CloudTrail.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

from lambdas.adapters.aws_faults import translated

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient


class KmsSeals:
    """`key` is the id or the ARN of a symmetric key. KMS takes 4,096 bytes; a task token has 2,048
    at the most.
    """

    def __init__(self, client: KMSClient, key: str) -> None:
        self._client = client
        self._key = key

    def seal(self, plain: str, *, about: str) -> str:
        with translated("KMS", "sealing a secret"):
            told = self._client.encrypt(
                KeyId=self._key, Plaintext=plain.encode(), EncryptionContext={"about": about}
            )
        return b64encode(told["CiphertextBlob"]).decode()

    def unseal(self, sealed: str, *, about: str) -> str:
        with translated("KMS", "opening a seal"):
            told = self._client.decrypt(
                KeyId=self._key,
                CiphertextBlob=b64decode(sealed),
                EncryptionContext={"about": about},
            )
        return told["Plaintext"].decode()
