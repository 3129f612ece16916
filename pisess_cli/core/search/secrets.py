"""Likely secrets in a text: tokens in the forms that their makers document, private keys, passwords that are set.

A heuristic: it knows the forms below and no others, and some of what it finds is none.
"""

import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_SHOWN_LENGTH = 8
_SHOWN_SHARE = 4


class Secret(NamedTuple):
    """A likely secret: the rule that found it, and where it stands in the text."""

    rule: str
    start: int
    end: int


class _Token(NamedTuple):
    # Begins with one of the prefixes, the rest follows; where the prefix is no part of it, the rest is the secret.
    rule: str
    prefixes: str
    rest: str
    has_prefix: bool = True


_TOKENS = (
    _Token("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    _Token("anthropic-key", "sk-ant-", r"[a-z0-9]+-[\w-]{32,}"),
    _Token("openrouter-key", "sk-or-v1-", r"[0-9a-f]{64}"),
    _Token("openai-key", "sk-", r"(?=[\w-]*\d)[\w-]{32,}"),
    _Token("google-api-key", "AIza", r"[\w-]{35}"),
    _Token("google-oauth", "ya29. GOCSPX-", r"[\w-]{20,}"),
    _Token("aws-access-key-id", "AKIA ASIA ABIA ACCA", r"[A-Z2-7]{16}"),
    _Token("azure-storage-key", "AccountKey=", r"[A-Za-z0-9+/]{86}==", has_prefix=False),
    _Token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    _Token("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _Token("vault-token", "hvs. hvb. hvr.", r"[\w-]{24,}"),
    _Token("tailscale-key", "tskey-", r"[a-z]+-[\w-]{16,}"),
    _Token("supabase-token", "sbp_", r"[0-9a-f]{40}"),
    _Token("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w.=-]{32,}"),
    _Token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,}"),
    _Token("github-token", "github_pat_", r"\w{60,}"),
    _Token("gitlab-token", "glpat- gldt- glrt- glptt- glft- glsoat- glagent- gloas-", r"[\w.-]{20,}"),
    _Token("npm-token", "npm_", r"[A-Za-z0-9]{36}"),
    _Token("pypi-token", "pypi-AgE", r"[\w-]{50,}"),
    _Token("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    _Token("docker-token", "dckr_pat_ dckr_oat_", r"[\w-]{20,}"),
    _Token("huggingface-token", "hf_", r"[A-Za-z]{34}"),
    _Token("groq-key", "gsk_", r"[A-Za-z0-9]{52}"),
    _Token("xai-key", "xai-", r"[A-Za-z0-9]{70,}"),
    _Token("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}"),
    _Token("replicate-token", "r8_", r"[A-Za-z0-9]{37}"),
    _Token("slack-token", "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp-", r"[\w-]{16,}"),
    _Token("slack-webhook", "hooks.slack.com/services/", r"T\w+/B\w+/\w{20,}", has_prefix=False),
    _Token("discord-webhook", "/api/webhooks/", r"\d{16,}/[\w-]{60,}", has_prefix=False),
    _Token("telegram-token", ":AA", r"[\w-]{33}"),
    _Token("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{16,}"),
    _Token("stripe-webhook", "whsec_", r"[A-Za-z0-9+/]{32,}=*"),
    _Token("square-token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{22,}"),
    _Token("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    _Token("sendgrid-key", "SG.", r"[\w-]{22}\.[\w-]{43}"),
    _Token("atlassian-token", "ATATT3", r"[\w=-]{60,}"),
    _Token("linear-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    _Token("notion-token", "ntn_ secret_", r"[A-Za-z0-9]{40,}"),
    _Token("figma-token", "figd_", r"[\w-]{40,}"),
    _Token("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _Token("grafana-token", "glsa_ glc_", r"[\w+/]{32,}=*"),
    _Token("new-relic-key", "NRAK- NRJS- NRII-", r"[A-Za-z0-9]{20,}"),
    _Token("sentry-token", "sntrys_ sntryu_", r"[\w+/=-]{40,}"),
    _Token("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w-]{40,}"),
    _Token("jwt", "eyJ", r"[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
)


class _Form(NamedTuple):
    rule: str
    rest: re.Pattern[str]
    has_prefix: bool


_FORMS = {
    prefix: _Form(token.rule, re.compile(rf"{token.rest}(?![\w-])", re.ASCII), token.has_prefix)
    for token in _TOKENS
    for prefix in token.prefixes.split()
}


def _any_of(texts: Iterable[str]) -> str:
    # Grouped by their first letters, which is what keeps the search quick; the longest first.
    by_letter: dict[str, list[str]] = {}
    for text in sorted(texts, key=len, reverse=True):
        by_letter.setdefault(text[0], []).append(re.escape(text[1:]))
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rests)})" for letter, rests in by_letter.items())


_PREFIX = re.compile(rf"\b(?<!-)(?:{_any_of(_FORMS)})", re.ASCII)
# All tokens have as many characters in a row that words and such tokens are made of; most texts have not.
_RUN = "a" * 20
_RUN_TABLE = "".join("a" if re.match(r"[\w+/-]", chr(code), re.ASCII) else " " for code in range(256))
_PRIVATE_KEY_BEGINS = "-----BEGIN "
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{40})"
    r"(?:[A-Za-z0-9+/=\s\\:,.]|-(?!-))+(?:-----END [A-Z0-9 ]+-----)?"
)
_URL_PASSWORD = re.compile(r"://[^\s/:@\"'<>\\]{0,100}:(?P<secret>[^\s/@\"'<>\\]{3,200})@[\w.\[-]")
_KEYWORDS = ("passw", "passphrase", "secret", "token", "api_key", "api-key", "apikey", "access_key", "private_key")
_NAME = (
    r"(?i:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access_key|private_key)"
    r"(?:[A-Z0-9_]{0,40}|[_-]?(?i:(?:access[_-]?)?(?:key|value|string|token)))"
)
_ENDS_WITH_NAME = re.compile(rf"(?:.*(?:[_-]|[a-z0-9](?=[A-Z])))?{_NAME}", re.ASCII | re.DOTALL)
_ASSIGNED = re.compile(
    rf"""{_NAME}(?:\\*["'\]]){{0,2}}\s{{0,3}}(?::=|=>|=|:)\s{{0,3}}\\*"""
    r"""(?P<quote>["'`])?(?P<secret>[^\s"'`,;<>\\]{6,200})(?(quote)\\*(?P=quote))""",
    re.ASCII,
)
_AUTHORIZATION = re.compile(
    r"""authorization["']?\s{0,3}[:=,]\s{0,3}["']?(?:bearer|basic|token|apikey)\s{1,3}(?P<secret>[\w.~+/=-]{16,})""",
    re.ASCII | re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?i)\*{3}|x{4}|\.{3}|<.*>|^[$%]|://|token|secret|passw|^pass$|[{}]|redacted|example|change_?me|dummy|your[_-]"
)
_CODE = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)\w+)+|.*[(\[].*|[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_SHORTEST = 6
_SHORTEST_WITH_NAME = 13


def find_secrets(text: str, name: str | None = None) -> Iterator[Secret]:
    """The likely secrets of a text, in its order; no two overlap. `name`: what the text is the value of, if known."""
    if len(text) < (_SHORTEST if name else _SHORTEST_WITH_NAME):
        return
    found: list[Secret] = []
    for secret in _all_finds(text, name):
        place = bisect(found, secret.start, key=lambda other: other.start)
        is_behind = not place or found[place - 1].end <= secret.start
        if is_behind and (place == len(found) or secret.end <= found[place].start):
            found.insert(place, secret)
    yield from found


def _all_finds(text: str, name: str | None) -> Iterator[Secret]:
    for begin in _positions(_PRIVATE_KEY_BEGINS, text):
        if key := _PRIVATE_KEY.match(text, begin):
            yield Secret("private-key", *key.span())
    if _RUN in text.translate(_RUN_TABLE):
        yield from _tokens(text)
    for begin in _positions("://", text):
        password = _URL_PASSWORD.match(text, begin)
        if password and not _PLACEHOLDER.search(password["secret"]):
            yield Secret("url-password", *password.span("secret"))
    yield from _named(text)
    if name and _ENDS_WITH_NAME.fullmatch(name) and " " not in text and _is_secret_value(text, name, is_quoted=True):
        yield Secret("assigned", 0, len(text))


def _tokens(text: str) -> Iterator[Secret]:
    for prefix in _PREFIX.finditer(text):
        form = _FORMS[prefix.group()]
        rest = form.rest.match(text, prefix.end())
        if rest:
            yield Secret(form.rule, prefix.start() if form.has_prefix else prefix.end(), rest.end())


def _named(text: str) -> Iterator[Secret]:
    lower = _lowered(text)
    for begin in _positions("authorization", lower):
        header = _AUTHORIZATION.match(text, begin)
        if header and _is_mixed(header["secret"]):
            yield Secret("authorization", *header.span("secret"))
    for keyword in _KEYWORDS:
        for begin in _positions(keyword, lower):
            value = _ASSIGNED.match(text, begin)
            if value and _is_secret_value(value["secret"], value.group(), is_quoted=bool(value["quote"])):
                yield Secret("assigned", *value.span("secret"))


def _positions(needle: str, text: str) -> Iterator[int]:
    position = text.find(needle)
    while position >= 0:
        yield position
        position = text.find(needle, position + 1)


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _lowered(text: str) -> str:
    # As long as the text: some letters beyond ASCII are longer in lower case.
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWER)


def _is_secret_value(word: str, name: str, *, is_quoted: bool) -> bool:
    # What stands behind a name may be code, or words: letters and digits in no order are more likely a secret.
    if not _is_mixed(word) or _PLACEHOLDER.search(word):
        return False
    if is_quoted:
        return len(word) >= (_SHORTEST if "pass" in name.lower() else 12) and _entropy(word) > 2.5
    return len(word) >= 12 and _entropy(word) > 3 and not _CODE.fullmatch(word)


def _is_mixed(word: str) -> bool:
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _entropy(word: str) -> float:
    # Bits a character, by how often each occurs in the word.
    return -sum(count / len(word) * math.log2(count / len(word)) for count in Counter(word).values())


def masked(text: str, secret: Secret) -> str:
    """What may be shown of a secret: its first characters, eight at most and no more than a quarter of it."""
    shown = min(_SHOWN_LENGTH, (secret.end - secret.start) // _SHOWN_SHARE)
    return f"{text[secret.start : secret.start + shown]}…"
