/** Form fields with label, hint and server message. */
import { useId, useState, type ReactNode } from 'react';
import { useFieldError } from './form.tsx';
import { Icon } from './icons.tsx';

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Path of the value in the request body; server messages for it are shown here. */
  path?: string | readonly string[] | undefined;
  optional?: boolean | undefined;
  /** The label is visible to screen readers only. */
  quiet?: boolean | undefined;
}

interface Ties {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export function Frame(props: FieldProps & { children: (ties: Ties) => ReactNode }) {
  const { label, hint, path, optional = false, quiet = false, children } = props;
  const id = useId();
  const refused = useFieldError(path) ?? props.error;
  // A message about the old value does not apply to the new one.
  const [dismissed, setDismissed] = useState<string>();
  if (refused === undefined && dismissed !== undefined) setDismissed(undefined);
  const error = refused === dismissed ? undefined : refused;
  const said = error ?? hint;
  return (
    <div className="field" onInput={() => setDismissed(refused)}>
      <label htmlFor={id} className={quiet ? 'visually-hidden' : 'field-label'}>
        {label}
        {optional && <span className="faint"> (optional)</span>}
      </label>
      {children({
        id,
        'aria-describedby': said === undefined ? undefined : `${id}-said`,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {said !== undefined && (
        <div id={`${id}-said`} className={error === undefined ? 'field-hint' : 'field-error'}>
          {said}
        </div>
      )}
    </div>
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
  mono?: boolean;
  rows?: number;
}

export function TextField({ value, onChange, mono = false, rows, ...rest }: TextFieldProps) {
  const { label, hint, error, path, optional, quiet, type = 'text', ...more } = rest;
  const [shown, setShown] = useState(false);
  const frame = { label, hint, error, path, optional, quiet };
  const control = {
    ...more,
    className: mono ? 'input mono' : 'input',
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
    spellCheck: !mono && type !== 'password',
  };
  return (
    <Frame {...frame}>
      {(ties) => {
        if (rows !== undefined) return <textarea {...ties} {...control} rows={rows} />;
        const input = <input {...ties} {...control} type={shown ? 'text' : type} />;
        if (type !== 'password') return input;
        return (
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
        );
      }}
    </Frame>
  );
}

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint?: string;
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  value: Value;
  onChange: (value: Value) => void;
  choices: readonly Choice<Value>[];
}

/** A native select, styled where the browser supports it. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { value, onChange, choices, ...rest } = props;
  return (
    <Frame {...rest}>
      {(ties) => (
        <div className="select">
          <select
            {...ties}
            className="input"
            value={value}
            onChange={(event) => onChange(event.target.value as Value)}
          >
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.hint ? `${choice.label} · ${choice.hint}` : choice.label}
              </option>
            ))}
          </select>
          <Icon name="chevron" />
        </div>
      )}
    </Frame>
  );
}

interface CheckFieldProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function CheckField({ label, hint, checked, onChange, disabled = false }: CheckFieldProps) {
  return (
    <label className="check-field">
      <input
        type="checkbox"
        className="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        disabled={disabled}
      />
      <span>
        {label}
        {hint !== undefined && <span className="field-hint">{hint}</span>}
      </span>
    </label>
  );
}

export function fieldError(error: unknown, path: string): string | undefined {
  const details = (error as { details?: { path: string; message: string }[] } | null)?.details;
  return details?.find((each) => each.path === path || each.path.startsWith(`${path}.`))?.message;
}
