// Offsets of a selection in a text cut into pieces with `data-start`, counted in Unicode code points as the server does.
"use strict";

function chunksIn(text) {
  return [...text.querySelectorAll("[data-start]")].map((element) => {
    const points = Array.from(element.textContent);
    const start = Number(element.dataset.start);
    return { element, points, start, end: start + points.length };
  });
}

function offsetIn(chunks, container, position) {
  const holder = container.nodeType === Node.ELEMENT_NODE ? container : container.parentElement;
  const element = holder.closest("[data-start]");
  const range = document.createRange();
  if (element) {
    range.selectNodeContents(element);
    range.setEnd(container, position);
    return Number(element.dataset.start) + Array.from(range.toString()).length;
  }
  for (const chunk of chunks) {
    range.selectNodeContents(chunk.element);
    if (range.comparePoint(container, position) <= 0) return chunk.start;
  }
  return chunks.length ? chunks[chunks.length - 1].end : 0;
}

function passageIn(chunks, start, end) {
  return chunks
    .filter((chunk) => chunk.start < end && start < chunk.end)
    .map((chunk) => chunk.points.slice(Math.max(0, start - chunk.start), end - chunk.start).join(""))
    .join("");
}
