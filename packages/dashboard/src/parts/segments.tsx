/** A segmented control. */
import type { ReactNode } from 'react';
import { moveFocus } from './arrow-keys.ts';

export interface Segment<Value extends string> {
  value: Value;
  label: ReactNode;
}

export function Segments<Value extends string>(props: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  segments: readonly Segment<Value>[];
}) {
  const { label, value, onChange, segments } = props;
  return (
    <div role="group" className="segments" aria-label={label} onKeyDown={moveFocus}>
      {segments.map((segment) => (
        <button
          key={segment.value}
          type="button"
          className="segment"
          aria-pressed={segment.value === value}
          onClick={() => onChange(segment.value)}
        >
          {segment.label}
        </button>
      ))}
    </div>
  );
}
