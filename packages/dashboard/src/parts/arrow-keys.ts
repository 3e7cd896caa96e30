/** Keyboard navigation with arrow keys, Home and End among the buttons of a group. */
import type { KeyboardEvent } from 'react';

const steps: Partial<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button:not(:disabled)')];
  const here = buttons.indexOf(event.target as HTMLElement);
  const step = steps[event.key];
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? -1 : step && (here + step) % buttons.length;
  if (next === undefined) return;
  event.preventDefault();
  buttons.at(next)?.focus();
}
