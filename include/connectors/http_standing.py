"""Who a JSON source takes us for, asked by the question that the options name, and what a listing of it covers."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from include.connectors.http_options import HttpJsonOptions
from include.connectors.http_session import HttpSession
from include.connectors.json_fields import judge, search
from include.connectors.witnesses import Standing

_LONGEST_ACCOUNT = 200


def standing_of(session: HttpSession, options: HttpJsonOptions) -> Standing:
    """Raises SourceUnavailable when the question is not answered at all."""
    identity = options.identity
    if not session.has_credentials and (identity is None or identity.only_with_credential):
        return Standing(True, scope=_scope("anonymous", session, options))
    who = "a credential" if session.has_credentials else "anonymous"
    if identity is None:
        return Standing(
            False, "a credential is used, but no identity probe says that the source accepted it (option identity)"
        )
    if identity.path is None:
        return Standing(True, scope=_scope(who, session, options))
    answer = session.get(identity.path, identity.params, conditional=False)
    if answer.status != 200:
        return Standing(False, f"the identity probe {answer.where} answers {answer.status}: is the credential revoked?")
    said = answer.json()
    recognised, why = judge(identity.expect, said)
    if not recognised:
        return Standing(False, f"the source takes us for somebody else: {answer.where}: {why}")
    if identity.account is not None:
        account = search(identity.account, said)
        parts = account.values() if isinstance(account, dict) else account if isinstance(account, list) else [account]
        if any(part is None for part in parts):
            return Standing(False, f"{answer.where} names no account at `{identity.account}`")
        who = f"account {_shortened(json.dumps(_in_order(account), sort_keys=True))}"
    return Standing(True, scope=_scope(who, session, options))


def _in_order(account: Any) -> Any:
    """Rights are a set: a source that names them in another order each time has not changed them."""
    if isinstance(account, dict):
        return {name: _in_order(value) for name, value in account.items()}
    if isinstance(account, list):
        return sorted(map(_in_order, account), key=lambda value: json.dumps(value, sort_keys=True))
    return account


def _shortened(account: str) -> str:
    """What does not fit a message still counts: the last right of a long list may be the one that was lost."""
    if len(account) <= _LONGEST_ACCOUNT:
        return account
    return f"{account[:_LONGEST_ACCOUNT]}… ({hashlib.sha256(account.encode()).hexdigest()[:8]})"


def _scope(who: str, session: HttpSession, options: HttpJsonOptions) -> str:
    """Whose view is read and what it covers. Values of parameters and states are told by a digest: a key may have been
    written among them."""
    listed = options.list
    covers = json.dumps([listed.params, {**options.public, **listed.public}], sort_keys=True, default=str)
    digest = hashlib.sha256(covers.encode()).hexdigest()[:8]
    names = ", ".join(sorted(listed.params)) or "none"
    return f"{who}; {session.base_url}/{listed.path.lstrip('/')}; parameters {names} ({digest})"
