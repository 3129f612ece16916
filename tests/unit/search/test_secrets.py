"""What counts as a likely secret. The examples are put together here, so that no file of the project holds one."""

import pytest

from pisess_cli.core.search.secrets import _TOKENS, Secret, find_secrets, masked

HEX = "0123456789abcdef" * 8
MIXED = "Ab3dE6gH9jK2mN5pQ8sT1vW4xY7z" * 8
LETTERS = "AbdEgHjKmNpQsTvWxYz" * 8
CAPITALS = "ABCDEFG234567XYZ" * 8
DIGITS = "1234567890" * 8
KEY_LINES = "\n".join(MIXED[place : place + 64] for place in range(3))

EXAMPLES = {
    "age-key": "AGE-SECRET-KEY-1" + CAPITALS[:58],
    "anthropic-key": "sk-" + "ant-api03-" + MIXED[:93],
    "openrouter-key": "sk-" + "or-v1-" + HEX[:64],
    "openai-key": "sk-" + "proj-" + MIXED[:60],
    "google-api-key": "AI" + "za" + MIXED[:35],
    "google-oauth": "ya29" + "." + MIXED[:40],
    "aws-access-key-id": "AK" + "IA" + CAPITALS[:16],
    "digitalocean-token": "dop" + "_v1_" + HEX[:64],
    "databricks-token": "da" + "pi" + HEX[:32],
    "vault-token": "hv" + "s." + MIXED[:24],
    "tailscale-key": "ts" + "key-auth-" + MIXED[:20],
    "supabase-token": "sb" + "p_" + HEX[:40],
    "planetscale-token": "pscale" + "_pw_" + MIXED[:32],
    "github-token": "gh" + "p_" + MIXED[:36],
    "gitlab-token": "gl" + "pat-" + MIXED[:20],
    "npm-token": "np" + "m_" + MIXED[:36],
    "pypi-token": "py" + "pi-AgE" + MIXED[:90],
    "rubygems-key": "ruby" + "gems_" + HEX[:48],
    "docker-token": "dckr" + "_pat_" + MIXED[:27],
    "huggingface-token": "h" + "f_" + LETTERS[:34],
    "groq-key": "gs" + "k_" + MIXED[:52],
    "xai-key": "xa" + "i-" + MIXED[:80],
    "perplexity-key": "pp" + "lx-" + MIXED[:48],
    "replicate-token": "r" + "8_" + MIXED[:37],
    "slack-token": "xo" + "xb-" + DIGITS[:12] + "-" + MIXED[:24],
    "stripe-key": "sk" + "_live_" + MIXED[:24],
    "stripe-webhook": "wh" + "sec_" + MIXED[:32],
    "square-token": "sq" + "0atp-" + MIXED[:22],
    "shopify-token": "shp" + "at_" + HEX[:32],
    "sendgrid-key": "S" + "G." + MIXED[:22] + "." + MIXED[:43],
    "atlassian-token": "ATA" + "TT3" + MIXED[:80],
    "linear-key": "lin" + "_api_" + MIXED[:40],
    "notion-token": "nt" + "n_" + MIXED[:46],
    "figma-token": "fig" + "d_" + MIXED[:40],
    "postman-key": "PM" + "AK-" + HEX[:24] + "-" + HEX[:34],
    "grafana-token": "gl" + "sa_" + MIXED[:41],
    "new-relic-key": "NR" + "AK-" + MIXED[:27],
    "sentry-token": "snt" + "rys_" + MIXED[:60],
    "doppler-token": "dp" + ".pt." + MIXED[:43],
    "jwt": "ey" + "J" + MIXED[:20] + ".ey" + "J" + MIXED[:40] + "." + MIXED[:43],
    "telegram-token": ":A" + "A" + MIXED[:33],
    "private-key": "-----BEGIN RSA " + f"PRIVATE KEY-----\n{KEY_LINES}\n-----END RSA PRIVATE KEY-----",
}
WITHIN = [
    ("azure-storage-key", "AccountName=me;AccountKey=", MIXED[:86] + "==", ";EndpointSuffix=x"),
    ("slack-webhook", "https://hooks.slack.com/services/", "T01AB/B02CD/" + MIXED[:24], " posts there"),
    ("discord-webhook", "https://discord.com/api/webhooks/", DIGITS[:18] + "/" + MIXED[:68], ""),
    ("authorization", 'curl -H "Authorization: Bearer ', MIXED[:40], '" https://api.example.com'),
    ("authorization", "{'authorization': 'Basic ", MIXED[:20] + "==", "'}"),
    ("url-password", "postgres://app:", "correct-horse", "@db.example.com:5432/app"),
    ("url-password", "git clone https://me:", MIXED[:20], "@example.com/x.git"),
    ("assigned", "DB_PASSWORD=", MIXED[:16], "\nDEBUG=1"),
    ("assigned", 'password: "', "hunter22", '"'),
    ("assigned", "{\\\"api_key\\\": \\\"", MIXED[:24], '\\"}'),
    ("assigned", "AWS_SECRET_ACCESS_KEY = ", MIXED[:40], ""),
    ("assigned", "export const accessToken = '", MIXED[:30], "';"),
]  # fmt: skip


def found_in(text: str, name: str | None = None) -> list[tuple[str, str]]:
    """The rules with what they found."""
    return [(secret.rule, text[secret.start : secret.end]) for secret in find_secrets(text, name)]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES.items())
def test_tokens_are_known_by_their_form(rule: str, example: str) -> None:
    before = "1234567890" if rule == "telegram-token" else "it is "

    assert found_in(f"{before}{example}\nand no more") == [(rule, example)]


def test_each_form_has_an_example() -> None:
    assert {token.rule for token in _TOKENS} <= {*EXAMPLES, *(rule for rule, *_ in WITHIN)}


@pytest.mark.parametrize(("rule", "before", "secret", "after"), WITHIN)
def test_of_what_a_secret_stands_in_only_the_secret_is_found(rule: str, before: str, secret: str, after: str) -> None:
    assert found_in(before + secret + after) == [(rule, secret)]


@pytest.mark.parametrize(
    "text",
    [
        "token = get_token(request.headers['x-token'])",
        "password = os.environ['APP_PASSWORD1']",
        "secret_key = s3_connection",
        "const token2 = this.tokens2.next_token",
        "TOKEN_URL = 'https://example.com/v1/oauth2/tokens'",
        "header = 'x-aws-ec2-metadata-token'",
        "password: changeme123",
        'password: "<your password 1>"',
        "API_KEY=${API_KEY_2}",
        "API_KEY=xxxxxxxxxxxxxxxx1",
        "tokens: 123456789012",
        "postgres://app:password@localhost/app",
        "redis://:${REDIS_PASSWORD}@cache/0",
        "id 550e8400-e29b-41d4-a716-446655440000, commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "a task-" + HEX[:40],
        "the header -----BEGIN " + "PRIVATE KEY----- begins a key",
        "sk-learn-is-a-library-for-machine-learning",
        "",
    ],
)
def test_code_words_and_places_for_secrets_are_none(text: str) -> None:
    assert found_in(text) == []


def test_a_value_is_judged_by_the_name_that_it_has() -> None:
    secret = MIXED[:24]

    assert found_in(secret) == []
    assert found_in(secret, "DB_PASSWORD") == found_in(secret, "apiKey") == [("assigned", secret)]
    assert found_in(secret, "path") == found_in(secret, "tokens_used_by") == []


def test_secrets_come_in_the_order_of_the_text_and_do_not_overlap() -> None:
    text = f"GITHUB_TOKEN={EXAMPLES['github-token']} then {EXAMPLES['aws-access-key-id']} {EXAMPLES['github-token']}"

    assert [rule for rule, _ in found_in(text)] == ["github-token", "aws-access-key-id", "github-token"]


def test_a_private_key_that_was_cut_off_is_found() -> None:
    text = "-----BEGIN OPENSSH " + f"PRIVATE KEY-----\n{KEY_LINES}"

    assert found_in(text) == [("private-key", text)]


def test_what_follows_a_private_key_is_none_of_it() -> None:
    key = EXAMPLES["private-key"]

    assert found_in(f"{key}\n$ ls -l\nnothing") == [("private-key", key)]


def test_letters_that_are_longer_in_lower_case_do_not_shift_what_is_found() -> None:
    secret = MIXED[:20]

    assert found_in(f"İİİ PASSWORD={secret} İ") == [("assigned", secret)]


@pytest.mark.parametrize(
    ("length", "shown"), [(40, 8), (32, 8), (20, 5), (8, 2), (3, 0)]
)  # fmt: skip
def test_of_a_secret_no_more_than_a_quarter_and_eight_characters_are_shown(length: int, shown: int) -> None:
    text = f"__{MIXED[:length]}__"

    assert masked(text, Secret("any", 2, 2 + length)) == f"{MIXED[:shown]}…"


def test_a_long_text_without_secrets_takes_no_long_time() -> None:
    # Each of these would keep a pattern busy that tries every end from every start.
    for piece in ("a", "-----BEGIN ", "://", "password", "password=", "eyJ.", "eyJa", "token\\\\", "sk-", " -"):
        assert found_in(piece * 20_000) == []
