/** One of a few that are all in sight: as cards that explain themselves, or as a row of short words. */
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useId, type ReactNode } from 'react';
import type { Choice } from './field.tsx';

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
}

export function ChoiceCards<Value extends string>(props: ChoiceProps<Value> & { hint?: ReactNode }) {
  const { label, hint, value, onChange, choices } = props;
  const id = useId();
  return (
    <div className="field">
      <span id={id} className="field-label">
        {label}
      </span>
      <RadioGroup aria-labelledby={id} value={value} onValueChange={onChange} className="choice-cards">
        {choices.map((choice) => (
          <label key={choice.value} className="choice-card">
            <Radio.Root value={choice.value} className="radio">
              <Radio.Indicator className="radio-mark" />
            </Radio.Root>
            <span>
              <span className="choice-name">{choice.label}</span>
              {choice.hint !== undefined && <span className="field-hint">{choice.hint}</span>}
            </span>
          </label>
        ))}
      </RadioGroup>
      {hint !== undefined && <span className="field-hint">{hint}</span>}
    </div>
  );
}

/** The label is for screen readers; what stands beside the row says the same to everybody else. */
export function ChoiceRow<Value extends string>({ label, value, onChange, choices }: ChoiceProps<Value>) {
  return (
    <RadioGroup aria-label={label} value={value} onValueChange={onChange} className="choice-row">
      {choices.map((choice) => (
        <Radio.Root key={choice.value} value={choice.value} className="choice-segment">
          {choice.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
