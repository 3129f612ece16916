"use strict";
{
  const find = (id) => document.getElementById(id);
  const entries = Array.from(document.querySelectorAll("#entries > article"));
  const place = new Map(entries.map((entry, index) => [entry, index]));
  const { parents, tip } = JSON.parse(find("tree").textContent);
  const branches = find("branch");
  const search = find("search");
  const hitCount = find("hits");
  const [previous, next, elsewhere] = ["previous", "next", "elsewhere"].map(find);

  // An entry stands behind its parent, so the last child that is met is the newest one.
  const newestChild = new Int32Array(entries.length).fill(-1);
  parents.forEach((parent, index) => {
    if (parent >= 0) newestChild[parent] = index;
  });

  function newestTip(index) {
    while (newestChild[index] >= 0) index = newestChild[index];
    return index;
  }

  function showBranch(tipIndex) {
    const isOn = new Uint8Array(entries.length);
    for (let index = tipIndex; index >= 0; index = parents[index]) isOn[index] = 1;
    entries.forEach((entry, index) => {
      if (entry.hidden === Boolean(isOn[index])) entry.hidden = !isOn[index];
    });
    branches.value = String(tipIndex);
    listHits();
  }

  function show(entry) {
    if (entry.hidden) showBranch(newestTip(place.get(entry)));
  }

  function moveTo(entry) {
    show(entry);
    entry.scrollIntoView({ block: "start" });
    entry.focus({ preventScroll: true });
  }

  branches.addEventListener("change", () => showBranch(Number(branches.value)));

  find("entries").addEventListener("click", (event) => {
    const button = event.target.closest("button[data-to]");
    if (!button) return;
    const sibling = entries[Number(button.dataset.to)];
    moveTo(sibling);
    (sibling.querySelector(`.fork button[data-way="${button.dataset.way}"]:enabled`) ?? sibling).focus({ preventScroll: true });
  });

  function goToAddress() {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      return;
    }
    const target = find(id);
    if (place.has(target)) moveTo(target);
  }
  window.addEventListener("hashchange", goToAddress);

  // Search: hits are entries. What an entry says is put in lower case once, when it is first looked through.
  const said = new Array(entries.length);
  let words = "";
  let allHits = [];
  let hits = [];
  let current = -1;

  function textOf(index) {
    said[index] ??= entries[index].querySelector(".body").textContent.toLowerCase();
    return said[index];
  }

  function listHits() {
    hits = allHits.filter((entry) => !entry.hidden);
    current = Math.min(current, hits.length - 1);
    sayHits();
  }

  function sayHits() {
    const others = allHits.length - hits.length;
    hitCount.value = words ? `${current < 0 ? "" : `${current + 1} of `}${hits.length}` : "";
    previous.disabled = next.disabled = !hits.length;
    elsewhere.hidden = !others;
    elsewhere.textContent = `+${others} on other branches`;
  }

  function unmark() {
    for (const entry of document.querySelectorAll("article.hit, article.found")) entry.classList.remove("hit", "found");
    CSS.highlights?.clear();
  }

  function runSearch() {
    unmark();
    words = search.value.toLowerCase();
    allHits = words ? entries.filter((_, index) => textOf(index).includes(words)) : [];
    for (const entry of allHits) entry.classList.add("hit");
    current = -1;
    listHits();
  }

  function goToHit(index) {
    if (!hits.length) return;
    current = (index + hits.length) % hits.length;
    const entry = hits[current];
    for (const other of document.querySelectorAll("article.found")) other.classList.remove("found");
    entry.classList.add("found");
    for (const folded of entry.querySelectorAll("details:not([open])")) {
      if (folded.textContent.toLowerCase().includes(words)) folded.open = true;
    }
    const marks = marksIn(entry.querySelector(".body"));
    if (CSS.highlights && marks.length) CSS.highlights.set("found", new Highlight(...marks));
    (marks[0]?.startContainer.parentElement ?? entry).scrollIntoView({ block: "center" });
    sayHits();
  }

  function marksIn(body) {
    const marks = [];
    const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() && marks.length < 1000) {
      const node = texts.currentNode;
      const text = node.data.toLowerCase();
      // In a few scripts a letter changes its length with its case: then places cannot be told.
      if (text.length !== node.data.length) continue;
      for (let at = text.indexOf(words); at >= 0 && marks.length < 1000; at = text.indexOf(words, at + words.length)) {
        const mark = document.createRange();
        mark.setStart(node, at);
        mark.setEnd(node, at + words.length);
        marks.push(mark);
      }
    }
    return marks;
  }

  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(runSearch, 150);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      if (search.value.toLowerCase() !== words) {
        clearTimeout(waiting);
        runSearch();
      }
      goToHit(event.shiftKey ? (current < 0 ? -1 : current - 1) : current + 1);
    } else if (event.key === "Escape") {
      search.value = "";
      runSearch();
      search.blur();
    }
  });
  previous.addEventListener("click", () => goToHit(current < 0 ? -1 : current - 1));
  next.addEventListener("click", () => goToHit(current + 1));
  elsewhere.addEventListener("click", () => {
    const entry = allHits.find((hit) => hit.hidden);
    if (!entry) return;
    show(entry);
    goToHit(hits.indexOf(entry));
  });

  // Folds: a pressed button has all of its kind open.
  function toggle(button) {
    const open = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(open));
    for (const folded of document.querySelectorAll(`details.${button.dataset.folds}`)) folded.open = open;
  }
  for (const button of document.querySelectorAll("button[data-folds]")) button.addEventListener("click", () => toggle(button));

  // Keys: from the entry that has the focus, else from the one at the top of the window.
  function atTop() {
    const below = find("bar").getBoundingClientRect().bottom + 12;
    return document.elementFromPoint(document.documentElement.clientWidth / 2, below)?.closest("#entries > article");
  }

  function step(direction, isWanted) {
    const start = document.activeElement?.closest("#entries > article") ?? atTop();
    let index = start ? place.get(start) : direction > 0 ? -1 : entries.length;
    do index += direction;
    while (entries[index] && (entries[index].hidden || !isWanted(entries[index])));
    if (entries[index]) moveTo(entries[index]);
  }

  function stepBranch(direction) {
    const index = branches.selectedIndex + direction;
    if (index >= 0 && index < branches.length) showBranch(Number(branches.options[index].value));
  }

  const isUser = (entry) => entry.classList.contains("user");
  const keys = {
    "/": () => search.focus(),
    j: () => step(1, () => true),
    k: () => step(-1, () => true),
    n: () => step(1, isUser),
    p: () => step(-1, isUser),
    t: () => toggle(find("tools")),
    h: () => toggle(find("thoughts")),
    "[": () => stepBranch(-1),
    "]": () => stepBranch(1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const action = Object.hasOwn(keys, event.key) && keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  find("bar").hidden = false;
  branches.value = String(tip);
  sayHits();
  goToAddress();
}
