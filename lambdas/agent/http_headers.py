"""What every answer over HTTP says, to programs and to people: no cache, no guess, no way back."""

from __future__ import annotations

SECURE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000",
    "X-Content-Type-Options": "nosniff",
}
