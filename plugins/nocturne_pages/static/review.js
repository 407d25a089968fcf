// Reading a text: select by mouse or word by word, mark, take back. Nothing of a text is kept in browser storage, in an
// address or in a log; what is sent is two offsets, counted in Unicode code points as the server counts them.
"use strict";

document.getElementById("needs-script")?.remove();

const text = document.getElementById("reading");
const workspace = document.getElementById("workspace");
const list = document.getElementById("marks");
const chunks = chunksIn(text);

// --- offsets and places -------------------------------------------------------------------------------------------

const offsetOf = (container, position) => offsetIn(chunks, container, position);
const passage = (start, end) => passageIn(chunks, start, end);

function locate(offset, last) {
  const before = chunks.filter((chunk) => (last ? chunk.start < offset : chunk.start <= offset));
  const chunk = before[before.length - 1] || chunks[0];
  let left = Math.max(0, Math.min(offset, chunk.end) - chunk.start);
  const walker = document.createTreeWalker(chunk.element, NodeFilter.SHOW_TEXT);
  let node = walker.nextNode();
  for (;;) {
    const points = Array.from(node.data);
    const next = left <= points.length ? null : walker.nextNode();
    if (!next) return [node, points.slice(0, left).join("").length];
    left -= points.length;
    node = next;
  }
}

function rangeOf(start, end) {
  const range = document.createRange();
  range.setStart(...locate(start, false));
  range.setEnd(...locate(end, true));
  return range;
}

// --- marks in the text --------------------------------------------------------------------------------------------

function paint(mark, start, end) {
  for (const chunk of chunks) {
    if (chunk.start >= end || start >= chunk.end) continue;
    const range = rangeOf(Math.max(start, chunk.start), Math.min(end, chunk.end));
    const walker = document.createTreeWalker(chunk.element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (range.intersectsNode(node)) nodes.push(node);
    for (const node of nodes) {
      const piece = document.createRange();
      piece.setStart(node, node === range.startContainer ? range.startOffset : 0);
      piece.setEnd(node, node === range.endContainer ? range.endOffset : node.length);
      if (piece.collapsed) continue;
      const around = document.createElement("span");
      around.className = "marked";
      around.dataset.mark = mark;
      piece.surroundContents(around);
    }
  }
}

function unpaint(mark) {
  for (const around of text.querySelectorAll(`.marked[data-mark="${mark}"]`)) {
    const parent = around.parentNode;
    around.replaceWith(...around.childNodes);
    parent.normalize();
  }
}

function renumber() {
  [...list.children].forEach((item, index) => {
    const pieces = text.querySelectorAll(`.marked[data-mark="${item.dataset.mark}"]`);
    pieces.forEach((piece) => delete piece.dataset.number);
    if (pieces.length) pieces[0].dataset.number = String(index + 1);
    const undo = item.querySelector("button.undo");
    if (undo) undo.setAttribute("aria-label", list.dataset.undoLabel.replace("{number}", String(index + 1)));
  });
  const none = document.getElementById("none");
  if (none) none.hidden = list.children.length > 0;
  const finish = document.querySelector("#finish button");
  if (finish) finish.textContent = list.children.length ? finish.dataset.some : finish.dataset.none;
}

document.getElementById("surrogates").addEventListener("change", (event) => {
  text.classList.toggle("plain", !event.target.checked);
});
for (const item of list ? [...list.children] : []) {
  paint(item.dataset.mark, Number(item.dataset.start), Number(item.dataset.end));
}
if (list) renumber();
if (workspace && !workspace.dataset.done) reading();

function reading() {
  const known = document.getElementById("mark-words").content;
  const word = (name, value) => known.querySelector(`[data-${name}="${value}"]`).textContent;
  const chosen = document.getElementById("selected");
  const spoken = document.getElementById("spoken");
  const said = document.getElementById("said");
  const trouble = document.getElementById("trouble");
  const dialog = document.getElementById("choose");
  const buttons = [...document.querySelectorAll("[data-kind][type=button]")];
  let current = null; // [start, end) selected
  let pending = null; // a change that the server has not taken yet: in memory only
  let asked = null; // the kind that waits for its label
  const last = document.getElementById("last");
  const everywhere = document.getElementById("everywhere");
  const actions = []; // what U undoes: { added: ids } or { removed: a mark }
  const labelOf = (key) => [...dialog.querySelectorAll("input")].find((input) => key && input.dataset.key === key)?.value;

  // --- selection --------------------------------------------------------------------------------------------------

  const words = chunks.flatMap((chunk) => {
    const found = [];
    let at = chunk.start;
    let done = 0;
    const whole = chunk.points.join("");
    for (const match of whole.matchAll(/[\p{L}\p{M}\p{N}]+(?:['’.@_-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu)) {
      at += Array.from(whole.slice(done, match.index)).length;
      const length = Array.from(match[0]).length;
      found.push({ start: at, end: at + length });
      at += length;
      done = match.index + match[0].length;
    }
    return found;
  });
  const surrogates = [...text.querySelectorAll(".surrogate [data-start]")].map((element) => Number(element.dataset.start));
  let anchor = -1;
  let focus = -1;

  function choose(start, end) {
    current = start < end && passage(start, end).trim() ? [start, end] : null;
    chosen.textContent = current ? passage(start, end) : chosen.dataset.none;
    buttons.forEach((button) => (button.disabled = !current));
  }

  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    if (!selection.rangeCount || dialog.open) return;
    const range = selection.getRangeAt(0);
    if (!text.contains(range.commonAncestorContainer)) return;
    const start = offsetOf(range.startContainer, range.startOffset);
    const end = offsetOf(range.endContainer, range.endOffset);
    choose(start, end);
    const inside = words.map((one, index) => (one.start < Math.max(end, start + 1) && start < one.end ? index : -1));
    const touched = inside.filter((index) => index >= 0);
    if (touched.length && (anchor < 0 || Math.min(anchor, focus) !== touched[0] || Math.max(anchor, focus) !== touched[touched.length - 1])) {
      [anchor, focus] = [touched[0], touched[touched.length - 1]];
    }
  });

  function go(index, extend) {
    if (!words.length) return;
    focus = Math.max(0, Math.min(words.length - 1, index));
    if (!extend || anchor < 0) anchor = focus;
    const [first, last] = [words[Math.min(anchor, focus)], words[Math.max(anchor, focus)]];
    const range = rangeOf(first.start, last.end);
    document.getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
    choose(first.start, last.end);
    spoken.textContent = passage(first.start, last.end);
    const place = rangeOf(words[focus].start, words[focus].end).getBoundingClientRect();
    if (place.top < 80) window.scrollBy(0, place.top - 120);
    else if (place.bottom > window.innerHeight - 40) window.scrollBy(0, place.bottom - window.innerHeight + 120);
  }

  function line(step) {
    if (focus < 0) return 0;
    const rectangle = (index) => rangeOf(words[index].start, words[index].end).getBoundingClientRect();
    const from = rectangle(focus);
    let best = focus;
    let top = null;
    for (let index = focus + step; index >= 0 && index < words.length; index += step) {
      const here = rectangle(index);
      if (Math.abs(here.top - from.top) < from.height / 2) continue;
      if (top === null) top = here.top;
      if (Math.abs(here.top - top) > from.height / 2) break;
      const nearer = best === focus || Math.abs(here.left - from.left) < Math.abs(rectangle(best).left - from.left);
      if (nearer) best = index;
    }
    return best;
  }

  function surrogate(step) {
    const at = focus < 0 ? -1 : words[focus].start;
    const ahead = step > 0 ? surrogates.find((start) => start > at) : [...surrogates].reverse().find((start) => start < at);
    if (ahead === undefined) return;
    const chunk = chunks.find((one) => one.start === ahead);
    const inside = words.map((one, index) => (one.start >= chunk.start && one.end <= chunk.end ? index : -1));
    const touched = inside.filter((index) => index >= 0);
    if (!touched.length) return;
    anchor = touched[touched.length - 1];
    go(touched[0], true);
  }

  text.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const does = {
      ArrowRight: () => go(focus + 1, event.shiftKey),
      ArrowLeft: () => go(focus - 1, event.shiftKey),
      ArrowDown: () => go(line(1), event.shiftKey),
      ArrowUp: () => go(line(-1), event.shiftKey),
      Home: () => go(0, event.shiftKey),
      End: () => go(words.length - 1, event.shiftKey),
      s: () => surrogate(event.shiftKey ? -1 : 1),
      m: () => act("missed"),
      c: () => act("wrong_label"),
      n: () => act("not_identifying"),
      r: () => last.dataset.last && missed(last.dataset.last),
      t: () => (everywhere.checked = !everywhere.checked),
      u: undo,
      Escape: () => { document.getSelection().removeAllRanges(); choose(0, 0); anchor = focus = -1; },
    }[key] || (labelOf(key) && (() => missed(labelOf(key))));
    if (!does) return;
    event.preventDefault();
    does();
  });
  buttons.forEach((button) => button.addEventListener("click", () => act(button.dataset.kind)));

  // --- what is said of it -----------------------------------------------------------------------------------------

  function act(kind) {
    if (!current || pending) return pending && complain(trouble.dataset.unsent, true);
    if (kind === "not_identifying") return add({ kind, label: null, start: current[0], end: current[1] });
    asked = { kind, start: current[0], end: current[1] };
    document.getElementById("choose-passage").textContent = passage(...current);
    dialog.querySelectorAll("input").forEach((input) => (input.checked = input.value === last.dataset.last));
    dialog.returnValue = "";
    dialog.showModal();
    (dialog.querySelector("input:checked") || dialog.querySelector("input")).focus();
  }

  function missed(label) {
    if (!current || pending) return pending && complain(trouble.dataset.unsent, true);
    add({ kind: "missed", label, start: current[0], end: current[1] });
  }

  dialog.addEventListener("keydown", (event) => {
    const label = !event.ctrlKey && !event.metaKey && !event.altKey && labelOf(event.key.toLowerCase());
    if (!label) return;
    event.preventDefault();
    dialog.querySelector(`input[value="${label}"]`).checked = true;
    dialog.close("save");
  });

  document.getElementById("cancel").addEventListener("click", () => dialog.close(""));
  dialog.addEventListener("close", () => {
    const label = dialog.querySelector("input:checked");
    if (dialog.returnValue === "save" && label && asked) add({ ...asked, label: label.value });
    asked = null;
    text.focus({ preventScroll: true });
  });

  function add(mark, former = null) {
    const all = mark.kind === "missed" && everywhere.checked && !former;
    const done = (answer) => {
      answer.marks.forEach(added);
      renumber();
      const ids = answer.marks.map((one) => String(one.id));
      if (!former) return actions.push({ added: ids });
      for (const one of actions) if (one.added) one.added = one.added.map((id) => (id === former ? ids[0] : id));
      said.textContent = said.dataset.undone;
    };
    send({ method: "POST", body: JSON.stringify(all ? { ...mark, everywhere: true } : mark), done });
  }

  function remove(ids, undoing = false) {
    const known = ids.map((id) => ({ ...list.querySelector(`[data-mark="${id}"]`).dataset }));
    const done = (answer) => {
      answer.ids.forEach(removed);
      renumber();
      said.textContent = undoing ? said.dataset.undone : said.dataset.removed;
      if (!undoing) actions.push({ removed: known[0] });
      text.focus({ preventScroll: true });
    };
    send({ method: "DELETE", body: JSON.stringify({ ids: ids.map(Number) }), done });
  }

  function undo() {
    if (pending) return complain(trouble.dataset.unsent, true);
    const action = actions.pop() || (list.lastElementChild && { added: [list.lastElementChild.dataset.mark] });
    if (!action) return;
    if (!action.removed) return remove(action.added.filter((id) => list.querySelector(`[data-mark="${id}"]`)), true);
    const { mark, kind, label, start, end } = action.removed;
    add({ kind, label: label || null, start: Number(start), end: Number(end) }, mark);
  }

  async function send(change) {
    pending = change;
    let answer;
    try {
      answer = await fetch(workspace.dataset.address, {
        method: change.method,
        body: change.body,
        headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRF-Token": workspace.dataset.csrf },
        credentials: "same-origin",
        redirect: "error",
        cache: "no-store",
      });
    } catch {
      return complain(trouble.dataset.unreachable, true);
    }
    if (answer.status === 401) return complain(trouble.dataset.signedOut, true, true);
    if (answer.status >= 500) return complain(trouble.dataset.unreachable, true);
    pending = null;
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) return complain([body.detail, body.next].filter(Boolean).join(". "), false);
    trouble.hidden = true;
    change.done(body);
  }

  function added(mark) {
    document.getSelection().removeAllRanges();
    choose(0, 0);
    said.textContent = said.dataset.saved;
    if (list.querySelector(`[data-mark="${mark.id}"]`)) return;
    const item = document.createElement("li");
    Object.assign(item.dataset, { mark: mark.id, kind: mark.kind, label: mark.label || "", start: mark.start, end: mark.end });
    if (mark.label) [last.dataset.last, last.textContent] = [mark.label, word("label", mark.label)];
    const quote = document.createElement("span");
    quote.className = "quote";
    quote.lang = "fr";
    quote.textContent = passage(mark.start, mark.end);
    const what = document.createElement("span");
    what.textContent = word("kind", mark.kind) + (mark.label ? ` : ${word("label", mark.label)}` : "");
    item.append(quote, " ", what);
    undoable(item);
    list.append(item);
    paint(mark.id, mark.start, mark.end);
  }

  function removed(id) {
    unpaint(id);
    list.querySelector(`[data-mark="${id}"]`).remove();
  }

  function undoable(item) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet undo";
    button.textContent = list.dataset.undo;
    button.addEventListener("click", () => remove([item.dataset.mark]));
    item.append(" ", button);
  }
  [...list.children].forEach(undoable);
  renumber();

  // --- what went wrong --------------------------------------------------------------------------------------------

  function complain(message, waits, signedOut = false) {
    said.textContent = "";
    trouble.hidden = false;
    trouble.querySelector("p").textContent = message;
    document.getElementById("sign-in").hidden = !signedOut;
    document.getElementById("retry").hidden = !waits;
    document.getElementById("drop").hidden = !waits;
    trouble.scrollIntoView({ block: "nearest" });
  }
  document.getElementById("retry").addEventListener("click", () => pending && send(pending));
  document.getElementById("drop").addEventListener("click", () => {
    pending = null;
    trouble.hidden = true;
    text.focus({ preventScroll: true });
  });
  document.getElementById("finish").addEventListener("submit", (event) => {
    if (!pending) return;
    event.preventDefault();
    complain(trouble.dataset.unsent, true);
  });
  window.addEventListener("beforeunload", (event) => pending && event.preventDefault());
}
