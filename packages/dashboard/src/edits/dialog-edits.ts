/** Tracks whether a form inside a dialog was edited since it was opened or saved. */
import { useRef, type RefObject } from 'react';
import { useUnsavedEdits } from './unsaved-edits.ts';

let savedCount = 0;

export function markDialogsSaved(): void {
  savedCount += 1;
}

export function useDialogEdits(popup: RefObject<HTMLElement | null>) {
  const editedAt = useRef<number>(undefined);
  const before = useRef('');
  const isEdited = () =>
    popup.current !== null && editedAt.current === savedCount && valuesOf(popup.current) !== before.current;
  useUnsavedEdits(isEdited, 'dialog');
  return {
    isEdited,
    listeners: {
      // Values that arrive before the first edit are defaults.
      onFocus: () => {
        if (editedAt.current !== savedCount && popup.current !== null)
          before.current = valuesOf(popup.current);
      },
      onInput: () => {
        editedAt.current = savedCount;
      },
    },
  };
}

function valuesOf(popup: HTMLElement): string {
  const controls = popup.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
    'form input, form select, form textarea',
  );
  return JSON.stringify(
    [...controls].map((control) =>
      control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)
        ? control.checked
        : control.value,
    ),
  );
}
