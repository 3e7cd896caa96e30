/** Returns the focus to the control that opened a dialog, also through nested dialogs and menus. */
import { useEffect } from 'react';

/** Runs after the focus return of the dialog library. */
const settledMs = 100;

let opener: HTMLElement | undefined;

document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  const isOnPage = target.closest('#root') !== null && target.closest('[popover], .toasts') === null;
  if (isOnPage) opener = target;
});

export function useFocusReturn(open: boolean): void {
  useEffect(() => {
    if (!open) return undefined;
    return () => {
      setTimeout(returnFocus, settledMs);
    };
  }, [open]);
}

function returnFocus(): void {
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body;
  if (!isLost || document.querySelector('.dialog') !== null) return;
  const isThere = opener?.isConnected === true && opener.checkVisibility();
  const target = isThere ? opener : document.querySelector<HTMLElement>('#content');
  target?.focus({ preventScroll: true });
}
