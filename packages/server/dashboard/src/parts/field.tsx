/** Fields of a form: a label, a control, a hint, and the sentence of the server when a value was refused. */
import { Checkbox } from '@base-ui/react/checkbox';
import { Field } from '@base-ui/react/field';
import { Select } from '@base-ui/react/select';
import { useState, type ReactNode } from 'react';
import { Icon } from './icons.tsx';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Why the value was refused. */
  error?: string | undefined;
  optional?: boolean;
  /** The label is for screen readers only, where the place says enough. */
  quiet?: boolean;
}

function Frame({ label, hint, error, optional, quiet, children }: FieldProps & { children: ReactNode }) {
  return (
    <Field.Root className="field" invalid={error !== undefined}>
      <Field.Label className={quiet === true ? 'visually-hidden' : 'field-label'}>
        {label}
        {optional === true && <span className="faint"> (optional)</span>}
      </Field.Label>
      {children}
      {hint !== undefined && error === undefined && (
        <Field.Description className="field-hint">{hint}</Field.Description>
      )}
      {error !== undefined && (
        <Field.Error className="field-error" match>
          {error}
        </Field.Error>
      )}
    </Field.Root>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'search';
  placeholder?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  required?: boolean;
  maxLength?: number;
  /** Code, addresses, names of branches. */
  mono?: boolean;
  /** More than one line. */
  rows?: number;
}

export function TextField({ value, onChange, mono = false, rows, ...rest }: TextFieldProps) {
  const { label, hint, error, optional, quiet, type = 'text', ...control } = rest;
  const [shown, setShown] = useState(false);
  const className = mono ? 'input mono' : 'input';
  const input = (
    <Field.Control
      {...control}
      className={className}
      value={value}
      onValueChange={onChange}
      spellCheck={!mono && type !== 'password'}
      {...(rows === undefined ? { type: shown ? 'text' : type } : { render: <textarea rows={rows} /> })}
    />
  );
  return (
    <Frame label={label} hint={hint} error={error} optional={optional ?? false} quiet={quiet ?? false}>
      {type === 'password' ? (
        <div className="password">
          {input}
          <button
            type="button"
            className="icon-button"
            aria-pressed={shown}
            aria-label="Show the password"
            title="Show the password"
            onClick={() => setShown(!shown)}
          >
            <Icon name="eye" />
          </button>
        </div>
      ) : (
        input
      )}
    </Frame>
  );
}

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

export function SelectField<Value extends string>(
  props: FieldProps & { value: Value; onChange: (value: Value) => void; choices: readonly Choice<Value>[] },
) {
  const { label, hint, error, optional, quiet, value, onChange, choices } = props;
  return (
    <Frame label={label} hint={hint} error={error} optional={optional ?? false} quiet={quiet ?? false}>
      <Select.Root
        items={choices}
        value={value}
        onValueChange={(next) => (next === null ? undefined : onChange(next))}
      >
        <Select.Trigger className="input select">
          <Select.Value />
          <Select.Icon className="select-icon">
            <Icon name="chevron" />
          </Select.Icon>
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner className="popup-place" sideOffset={4} alignItemWithTrigger={false}>
            <Select.Popup className="popup">
              <Select.List className="popup-list">
                {choices.map((choice) => (
                  <Select.Item key={choice.value} value={choice.value} className="popup-item">
                    <Select.ItemIndicator className="popup-check">
                      <Icon name="check" />
                    </Select.ItemIndicator>
                    <Select.ItemText className="popup-text">{choice.label}</Select.ItemText>
                    {choice.hint !== undefined && <span className="faint">{choice.hint}</span>}
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </Frame>
  );
}

export function CheckField(props: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  const { label, hint, checked, onChange, disabled = false } = props;
  return (
    <label className="check-field">
      <Checkbox.Root className="checkbox" checked={checked} onCheckedChange={onChange} disabled={disabled}>
        <Checkbox.Indicator className="checkbox-mark">
          <Icon name="check" />
        </Checkbox.Indicator>
      </Checkbox.Root>
      <span>
        {label}
        {hint !== undefined && <span className="field-hint">{hint}</span>}
      </span>
    </label>
  );
}

/** What the server says about one field of what was sent. */
export function fieldError(error: unknown, path: string): string | undefined {
  const details = (error as { details?: { path: string; message: string }[] } | null)?.details;
  return details?.find((each) => each.path === path || each.path.startsWith(`${path}.`))?.message;
}
