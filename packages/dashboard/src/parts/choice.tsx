/** Radio buttons with descriptions. */
import { useId } from 'react';
import type { Choice } from './field.tsx';

interface ChoiceCardsProps<Value extends string> {
  label: string;
  value: Value | undefined;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
}

export function ChoiceCards<Value extends string>(props: ChoiceCardsProps<Value>) {
  const { label, value, onChange, choices } = props;
  const id = useId();
  return (
    <div className="field">
      <span id={id} className="field-label">
        {label}
      </span>
      <div role="radiogroup" aria-labelledby={id} className="choice-cards">
        {choices.map((choice) => (
          <label key={choice.value} className="choice-card">
            <input
              type="radio"
              className="radio"
              name={id}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            <span>
              <span className="choice-name">{choice.label}</span>
              {choice.hint !== undefined && <span className="field-hint">{choice.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </div>
  );
}
