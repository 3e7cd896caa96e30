import { useState } from 'react';
import { Icon } from './icons.tsx';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  const copy = async () => {
    const next = await navigator.clipboard.writeText(text).then(
      () => 'done' as const,
      () => 'failed' as const,
    );
    setState(next);
    setTimeout(() => setState('idle'), 2000);
  };
  return (
    <button
      type="button"
      className="icon-button copy"
      onClick={() => void copy()}
      aria-label={label}
      title={label}
    >
      <Icon name={state === 'done' ? 'check' : 'copy'} />
      <span className="visually-hidden" aria-live="polite">
        {{ idle: '', done: 'Copied', failed: 'Copying is not allowed here; select the text instead.' }[state]}
      </span>
    </button>
  );
}

export function CopyField({ text, label }: { text: string; label: string }) {
  return (
    <span className="copy-field">
      <code>{text}</code>
      <CopyButton text={text} label={`Copy ${label}`} />
    </span>
  );
}

export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  );
}
