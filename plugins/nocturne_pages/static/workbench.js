// Both texts of a quarantined document scroll together; what is selected in one of them fills the form that marks it.
"use strict";

const panes = [...document.querySelectorAll(".pane")];

// --- scrolled together: the piece at the top of one text is brought to the top of the other ----------------------

if (panes.length === 2) {
  const segments = new Map(panes.map((pane) => [pane, [...pane.querySelectorAll("[data-segment]")]]));
  // Where this script has scrolled a text to, until someone scrolls that text: its events move nothing back. One event
  // may stand for two of the script's moves, so that a match does not end the expectation.
  const expected = new Map();
  const other = (pane) => panes[1 - panes.indexOf(pane)];
  const top = (pane) => pane.getBoundingClientRect().top + pane.clientTop;

  const follow = (pane) => {
    if (Math.abs((expected.get(pane) ?? -9) - pane.scrollTop) < 2) return;
    expected.delete(pane);
    const [own, follower] = [segments.get(pane), other(pane)];
    let [low, high] = [0, own.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (own[middle].getBoundingClientRect().bottom > top(pane)) high = middle;
      else low = middle + 1;
    }
    if (!own.length) return;
    const box = own[low].getBoundingClientRect();
    const share = box.height ? Math.max(0, top(pane) - box.top) / box.height : 0;
    const theirs = segments.get(follower)[low].getBoundingClientRect();
    const end = pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 1;
    const wanted = end ? follower.scrollHeight : follower.scrollTop + theirs.top + share * theirs.height - top(follower);
    const target = Math.min(Math.max(0, Math.round(wanted)), follower.scrollHeight - follower.clientHeight);
    if (Math.abs(follower.scrollTop - target) < 2) return;
    expected.set(follower, target);
    follower.scrollTop = target;
  };
  for (const pane of panes) {
    let due = false;
    pane.addEventListener("scroll", () => {
      if (due) return;
      due = true;
      requestAnimationFrame(() => {
        due = false;
        follow(pane);
      });
    });
  }
}

// --- marked where it is selected ---------------------------------------------------------------------------------

const form = document.getElementById("selection");
if (form) {
  form.hidden = false;
  const shown = document.getElementById("selected");
  const button = form.querySelector("button");
  const sides = panes.map((pane) => ({ pane, chunks: chunksIn(pane) }));

  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    const range = selection.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : null;
    const side = range && sides.find(({ pane }) => pane.contains(range.commonAncestorContainer));
    if (!side) return; // what is chosen in the form itself leaves the passage as it is
    const start = offsetIn(side.chunks, range.startContainer, range.startOffset);
    const end = offsetIn(side.chunks, range.endContainer, range.endOffset);
    form.elements.side.value = side.pane.id;
    form.elements.start.value = start;
    form.elements.end.value = end;
    shown.textContent = passageIn(side.chunks, start, end) || shown.dataset.none;
    button.disabled = start >= end;
  });
}
