from collections.abc import Callable, Iterator

import pytest

from browser.conftest import Page
from builder import SessionBuilder, call, session, talk, text

Show = Callable[..., Page]

EVIL = (
    "</script></style></title></textarea><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
    "<svg onload='window.ran = 3'><a href='javascript:window.ran = 4'>x</a><iframe srcdoc='<script>top.ran = 5</script>'>"
)
PHONE = (390, 844)
GIF = "R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="


def tools() -> SessionBuilder:
    """A session with a tool call that thinking precedes, and its result."""
    story = session().user("Look.").assistant("Looking.", call("edit", path="a.py", oldText="x", newText="secret"))
    thinking = {"type": "thinking", "thinking": "Where may it be?"}
    story.value("Looking.")["message"]["content"].insert(0, thinking)
    return story.result("needle\n" * 3).user("Thanks.")


# What must not happen.


def test_no_script_of_a_session_runs(show: Show) -> None:
    story = session(EVIL, cwd=EVIL).name(EVIL).user(EVIL).assistant(EVIL, call(EVIL, path=EVIL)).result(EVIL)
    story.label(EVIL).entry("message", id=EVIL, message={"role": "user", "content": [{"type": EVIL}]}).compact(EVIL)

    page = show(story)
    page.search("window.ran")

    assert page.run("return window.ran") is None
    assert page.run("return document.querySelectorAll('img, svg, iframe, a[href^=java]').length") == 0
    assert page.shown[0] == EVIL


def test_the_policy_stops_a_script_that_escaping_would_have_missed(show: Show) -> None:
    page = show(talk())

    page.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"window.ran = 2\">')")

    assert page.run("return window.ran") is None


@pytest.mark.parametrize(
    "code", ["new Image().src = '/img'", "fetch('/fetch').catch(() => 0)", "import('/x.js').catch(() => 0)"]
)
def test_the_policy_stops_every_request(show: Show, code: str) -> None:
    page = show(talk())

    blocked = page.chrome.execute_async_script(
        f"const done = arguments[0]; document.addEventListener('securitypolicyviolation', e => done(e.blockedURI)); {code}"
    )

    assert blocked.startswith(page.server.address)
    assert page.server.asked == ["/page.html"]


def test_nothing_is_asked_for_but_the_page(show: Show) -> None:
    image = {"type": "image", "mimeType": "image/gif", "data": GIF}
    page = show(session().user([text("![x](/a.png) <link rel=icon href=/b.png>"), image]))

    page.search("png")

    assert page.run("return document.querySelector('img').naturalWidth") == 1
    assert page.server.asked == ["/page.html"]
    assert page.chrome.get_log("browser") == []


# Branches.


def test_the_current_branch_is_shown_first(show: Show) -> None:
    page = show(talk())

    assert page.shown[-2:] == ["Only rename it.", "Renamed."]
    assert len(page.shown) == 6


def test_a_branch_that_is_chosen_is_shown_alone(show: Show) -> None:
    page = show(talk())

    page.choose(1)

    assert page.shown[-3:] == ["In src/parser.py.", "Rewrite it.", "Done, but slow."]
    page.choose(0)
    assert page.shown[-1] == "Renamed."


def test_the_arrows_at_a_fork_lead_to_the_branch_beside(show: Show) -> None:
    page = show(talk())

    page.find("article:not([hidden]) button[data-way=back]:enabled").click()

    assert page.shown[-1] == "Done, but slow."
    assert page.run("return document.getElementById('branch').selectedIndex") == 1


def test_an_address_opens_the_branch_of_its_entry(show: Show) -> None:
    story = talk()
    page = show(story)

    page.load(f"/page.html#e-{story.id('Rewrite it.')}")

    assert page.shown[-1] == "Done, but slow."
    assert page.focused == "Rewrite it."


def test_a_session_of_one_branch_has_nothing_to_choose(show: Show) -> None:
    assert not show(talk(), every=False).find("#branch").is_displayed()


# Search.


def test_search_counts_the_entries_that_say_it_in_upper_or_lower_case(show: Show) -> None:
    page = show(talk())

    page.search("PARSE")

    assert page.hits == "1 of 4"


def test_a_hit_is_opened_shown_and_marked(show: Show) -> None:
    page = show(tools())

    page.search("secret")

    assert page.find("article.found details.tool pre").is_displayed()
    assert page.run("return [...CSS.highlights.get('found')].map(String)") == ["secret"]


def test_enter_goes_through_the_hits_and_round(show: Show) -> None:
    from selenium.webdriver.common.keys import Keys

    page = show(session().user("a x").user("b").user("c x"))
    page.search("x")

    found = []
    for keys in ((Keys.ENTER,), (Keys.ENTER,), (Keys.SHIFT, Keys.ENTER)):
        page.press(*keys)
        found.append(page.find("article.found .body").text)

    assert found == ["c x", "a x", "c x"]


def test_hits_on_other_branches_are_told_and_reached(show: Show) -> None:
    page = show(talk())
    page.search("slow")
    assert (page.hits, page.find("#elsewhere").text) == ("0", "+1 on other branches")

    page.find("#elsewhere").click()

    assert page.hits == "1 of 1"
    assert page.find("article.found .body").text == "Done, but slow."


def test_escape_ends_the_search(show: Show) -> None:
    from selenium.webdriver.common.keys import Keys

    page = show(talk())
    page.search("parser")

    page.press(Keys.ESCAPE)

    assert page.hits == ""
    assert page.run("return document.querySelectorAll('.hit, .found').length + CSS.highlights.size") == 0


def test_search_takes_words_as_they_are(show: Show) -> None:
    page = show(session().user("a.c [x] \\ <b>").user("abc"))

    for words in ("a.c", "[x]", "\\", "<b>"):
        page.search(words)
        assert page.hits == "1 of 1"


# Folds and keys.


def test_tools_and_thinking_are_folded_and_open_together(show: Show) -> None:
    page = show(tools())
    assert page.run("return document.querySelectorAll('article details[open]').length") == 0

    page.find("#tools").click()
    page.find("#thoughts").click()

    assert page.run("return document.querySelectorAll('article details:not([open])').length") == 0
    assert page.find("#tools").get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize(
    ("keys", "focused"),
    [
        ("j", "Look."),
        ("jj", "Thinking"),
        ("jjk", "Look."),
        ("n", "Look."),
        ("nn", "Thanks."),
        ("nnp", "Look."),
        ("/", "search"),
    ],
)
def test_keys_lead_through_the_page(show: Show, keys: str, focused: str) -> None:
    page = show(tools())
    page.run("scrollTo(0, 0); document.querySelector('#entries').style.marginTop = '50vh'")

    page.press(*keys)

    assert page.focused.startswith(focused)


def test_keys_open_folds_and_change_branches(show: Show) -> None:
    page = show(talk())

    page.press("t", "]")

    assert page.run("return document.querySelectorAll('details.tool[open]').length") == 1
    assert page.shown[-1] == "Done, but slow."


def test_keys_that_are_typed_into_the_search_are_words(show: Show) -> None:
    page = show(talk())

    page.press("/", "t", "]")

    assert page.find("#search").get_property("value") == "t]"
    assert page.run("return document.querySelectorAll('details.tool[open]').length") == 0


def test_everything_is_reached_by_the_tab_key(show: Show) -> None:
    from selenium.webdriver.common.keys import Keys

    page = show(tools().branch_at("Look.").user("other"))
    page.search("o")
    page.run("document.querySelector('.skip').focus()")

    met = []
    for _ in range(8):
        page.press(Keys.TAB)
        met.append(page.run("const e = document.activeElement; return e.id || e.className || e.tagName"))

    assert met == ["branch", "search", "previous", "next", "elsewhere", "tools", "thoughts", "SUMMARY"]


def test_without_scripts_the_current_branch_can_be_read(show: Show) -> None:
    page = show(talk())
    page.chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.load()
        tree = page.chrome.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    finally:
        page.chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    said = " ".join(str(node.get("name", {}).get("value")) for node in tree)
    assert "Only rename it." in said
    assert "Rewrite it." not in said
    assert "Search" not in said


# How it looks.


@pytest.mark.parametrize("size", [PHONE, (320, 600), (1100, 900)])
def test_nothing_is_wider_than_the_window(show: Show, size: tuple[int, int]) -> None:
    long = "x" * 3000
    story = session(long, cwd="/" + long).name(long).user(f"{long}\n```\n{long}\n```\n`{long}`").label(long)
    story.assistant(long, call(long, path=long, other=long)).result(long, tool=long).branch_at(None).user("other")
    page = show(story)
    page.resize(*size, is_phone=size == PHONE)
    page.choose(1)

    page.find("#tools").click()

    assert page.run("return document.documentElement.scrollWidth") <= size[0]


def test_on_a_phone_all_can_be_touched(show: Show) -> None:
    page = show(talk())

    page.resize(*PHONE, is_phone=True)

    for selector in ("#branch", "#search", "#next", "#tools", "#thoughts"):
        assert page.find(selector).rect["height"] >= 38
    assert page.find("#bar").rect["height"] < PHONE[1] / 5


def luminance(color: str) -> float:
    channels = [int(part) / 255 for part in color.removeprefix("rgb(").removesuffix(")").split(", ")]
    linear = [value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrasts(page: Page) -> Iterator[tuple[str, float]]:
    """How far each text stands out from what is behind it (WCAG 2): 4.5 is enough for small text."""
    pairs = page.run(
        """
        const behind = (e) => { for (; e; e = e.parentElement) {
          const back = getComputedStyle(e).backgroundColor; if (back !== 'rgba(0, 0, 0, 0)') return back; } };
        return [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && !e.disabled
            && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
          .map((e) => [e.outerHTML.slice(0, 80), getComputedStyle(e).color, behind(e)])
        """
    )
    for html, ink, back in pairs:
        light, dark = sorted((luminance(ink), luminance(back)), reverse=True)
        yield html, (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("scheme", "is_dark"), [("light", False), ("dark", True)])
def test_the_page_follows_the_scheme_and_can_be_read(show: Show, scheme: str, is_dark: bool) -> None:
    story = tools().compact("`x` so far").result("no", isError=True).label("good").bash("ls").custom_message("note")
    page = show(story.branch_at("Look.").user("other").branch_at("Thanks.").user("end"))

    page.emulate(scheme=scheme)
    page.find("#tools").click()
    page.find("#thoughts").click()

    back = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (luminance(back) < 0.1) is is_dark
    assert [(html, ratio) for html, ratio in contrasts(page) if ratio < 4.5] == []


def test_print_has_the_entries_without_the_bar_on_white(show: Show) -> None:
    page = show(talk())

    page.emulate(media="print", scheme="dark")

    assert not page.find("#bar").is_displayed()
    assert page.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("return getComputedStyle(document.querySelector('article')).contentVisibility") == "visible"


def test_ten_thousand_entries_are_laid_out_as_far_as_one_looks(show: Show) -> None:
    story = session()
    for number in range(10_000):
        story.user(f"entry {number} of many")

    page = show(story)
    page.search("entry 9999 of")

    is_laid_out = (
        "return document.querySelectorAll('.body')[arguments[0]].checkVisibility({contentVisibilityAuto: true})"
    )
    assert page.hits == "1 of 1"
    assert page.run(is_laid_out, 9999)
    assert not page.run(is_laid_out, 5000)
