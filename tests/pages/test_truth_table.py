"""Access table of the pages: the answer of every route to every role and to anonymous requests."""

from __future__ import annotations

import pytest
from nocturne_pages.access import SIMPLE_ROLES
from nocturne_pages.permissions import ROLES

from tests.pages.conftest import ACCOUNTS
from tests.pages.routes import ROUTES, addressed, wrong_answers
from tests.pages.serving import Server


def test_there_are_routes_and_each_names_one_power() -> None:
    assert len(ROUTES) >= 3


@pytest.mark.parametrize("account", [None, *ACCOUNTS])
def test_each_route_opens_to_whoever_has_its_power_and_to_nobody_else(server: Server, account: str | None) -> None:
    permissions = frozenset() if account is None else ROLES[SIMPLE_ROLES[ACCOUNTS[account]]]
    signed = None if account is None else server.token(account)
    assert wrong_answers(server, signed, permissions) == []


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_browser_without_the_forms_token_changes_nothing(server: Server, account: str) -> None:
    """Signed in by cookie, as a browser is: what another site could send is refused, whatever the permission."""
    cookie = {"Cookie": f"_token={server.token(account)}"}
    for method, path, _ in ROUTES:
        if method != "GET":
            address = addressed(path)
            assert server.ask(method, address, None, headers=cookie).status_code == 403, (method, path)
            foreign = {**cookie, "Sec-Fetch-Site": "cross-site", "Origin": "https://ailleurs.example"}
            assert server.ask(method, address, None, headers=foreign).status_code == 403, (method, path)


@pytest.mark.parametrize("scheme", ["Basic", "Negotiate", "Bearer", "bearer", "Digest", ""])
def test_no_authorization_header_excuses_a_cookie_from_the_forms_token(server: Server, scheme: str) -> None:
    """A browser repeats the credentials of a proxy or of Kerberos by itself, also in a form that another site sent."""
    session = server.token("referente")
    credentials = {"Bearer": f" {session}", "bearer": ""}.get(scheme, " aW50ZW5kYW50ZTp4")
    signed = {"Cookie": f"_token={session}", "Authorization": f"{scheme}{credentials}".strip()}
    changes = [(method, addressed(path)) for method, path, _ in ROUTES if method != "GET"]
    answers = {change: server.ask(*change, None, headers=signed).status_code for change in changes}
    assert answers == dict.fromkeys(changes, 403)
