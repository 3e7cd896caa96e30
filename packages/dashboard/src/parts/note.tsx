import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

const icons: Record<Tone, IconName> = {
  good: 'check',
  warn: 'warning',
  bad: 'warning',
  info: 'help',
  quiet: 'help',
};

export function Note({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <div className={`note note-${tone}`}>
      <Icon name={icons[tone]} />
      <div>{children}</div>
    </div>
  );
}

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
