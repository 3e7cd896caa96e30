/** Finds a position where a toast covers no control. */

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

const marginPx = 16;
const stepPx = 8;
const gapPx = 4;

/** Tries the right edge from the bottom up, then the middle, then the left. Undefined when every position covers a control. */
export function findToastPosition(size: Size, viewport: Size, controls: readonly Box[]): Box | undefined {
  const lefts = [viewport.width - size.width - marginPx, (viewport.width - size.width) / 2, marginPx];
  for (const left of lefts) {
    for (let top = viewport.height - size.height - marginPx; top >= marginPx; top -= stepPx) {
      const box = { left, top, right: left + size.width, bottom: top + size.height };
      if (coversNoControl(box, controls)) return box;
    }
  }
  return undefined;
}

export function coversNoControl(box: Box, controls: readonly Box[]): boolean {
  return !controls.some(
    ({ left, top, right, bottom }) =>
      left < box.right + gapPx &&
      right > box.left - gapPx &&
      top < box.bottom + gapPx &&
      bottom > box.top - gapPx,
  );
}

const controlSelector =
  'a[href], button, input, select, textarea, summary, label, [role="tab"], [role="option"], [role="menuitem"]';

/** Controls of the topmost dialog, or of the page. */
export function controlsInView(): Box[] {
  const within = [...document.querySelectorAll('.dialog, .drawer')].at(-1) ?? document;
  return [...within.querySelectorAll<HTMLElement>(controlSelector)]
    .filter((control) => control.closest('.toasts') === null && control.checkVisibility())
    .map((control) => control.getBoundingClientRect())
    .filter(
      ({ width, height, bottom, top }) =>
        width > 1 && height > 1 && bottom > 0 && top < globalThis.innerHeight,
    );
}
