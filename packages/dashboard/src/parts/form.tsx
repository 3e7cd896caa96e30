/** A form that shows server messages at the fields and scrolls to the first one. */
import { createContext, use, useEffect, useMemo, useRef, type ReactNode } from 'react';
import { Problem } from './problem.tsx';

interface Detail {
  path: string;
  message: string;
}

interface FormState {
  error: unknown;
  /** Paths of the visible fields. */
  paths: Set<string>;
}

const FormContext = createContext<FormState>({ error: null, paths: new Set() });

interface FormProps {
  error: unknown;
  onSubmit: () => void;
  /** Ctrl+Enter or ⌘+Enter submits from any field. */
  submitsByKey?: boolean;
  children: ReactNode;
}

export function Form({ error, onSubmit, submitsByKey = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const paths = useRef(new Set<string>());
  const state = useMemo(() => ({ error, paths: paths.current }), [error]);
  useEffect(() => {
    if (error !== null) revealProblem(form.current);
  }, [error]);
  const messages = [...new Set(detailsOf(error).map(({ message }) => message))];
  return (
    <FormContext value={state}>
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
        onKeyDown={(event) => {
          const isSubmit = event.key === 'Enter' && (event.metaKey || event.ctrlKey);
          if (submitsByKey && isSubmit) event.currentTarget.requestSubmit();
        }}
      >
        {children}
        <div className="visually-hidden" aria-live="assertive">
          {messages.length > 1 && messages.map((message) => <p key={message}>{message}</p>)}
        </div>
      </form>
    </FormContext>
  );
}

function revealProblem(form: HTMLFormElement | null): void {
  const target =
    form?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    form?.querySelector<HTMLElement>('[role="alert"]');
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: 'center' });
}

/** Shows messages that belong to no field. Place it above the buttons. */
export function FormProblem() {
  const { error, paths } = use(FormContext);
  if (error === null || error === undefined) return null;
  const details = detailsOf(error);
  const rest = details.filter(({ path }) => fieldOf(path, paths) === undefined);
  if (details.length > 0 && rest.length === 0) return null;
  return <Problem error={error} />;
}

export function useFieldError(path: string | readonly string[] | undefined): string | undefined {
  const { error, paths } = use(FormContext);
  const joined = path === undefined ? '' : [path].flat().join(' ');
  const own = useMemo(() => joined.split(' ').filter((each) => each !== ''), [joined]);
  useEffect(() => {
    for (const each of own) paths.add(each);
    return () => {
      for (const each of own) paths.delete(each);
    };
  }, [own, paths]);
  return detailsOf(error).find((detail) => own.includes(fieldOf(detail.path, paths) ?? ''))?.message;
}

/** The innermost field that encloses the path of a message. */
function fieldOf(path: string, fields: ReadonlySet<string>): string | undefined {
  return [...fields]
    .filter((field) => path === field || path.startsWith(`${field}.`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function detailsOf(error: unknown): Detail[] {
  return (error as { details?: Detail[] } | null | undefined)?.details ?? [];
}
