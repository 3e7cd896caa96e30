/** A few choices side by side, of which one counts: a filter, a width, a form of the same thing. */
import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { ReactNode } from 'react';

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
    <ToggleGroup<Value>
      className="segments"
      aria-label={label}
      value={[value]}
      // Pressing the one that counts already changes nothing.
      onValueChange={([next]) => (next === undefined ? undefined : onChange(next))}
    >
      {segments.map((segment) => (
        <Toggle key={segment.value} value={segment.value} className="segment">
          {segment.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
