/** One of a few that are all in sight and explain themselves. */
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useId } from 'react';
import type { Choice } from './field.tsx';

interface ChoiceCardsProps<Value extends string> {
  label: string;
  value: Value;
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
    </div>
  );
}
