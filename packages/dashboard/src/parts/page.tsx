/** The parts every screen is made of: its head, its panels, what it shows while there is nothing. */
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icons.tsx';

interface PageProps {
  title: string;
  /** When the heading says more than a title of the window can. */
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  /** The way back up. */
  crumbs?: { to: string; label: string }[];
  children: ReactNode;
}

export function Page({ title, heading, lead, actions, crumbs, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Docyard`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          {crumbs !== undefined && (
            <nav className="crumbs" aria-label="Breadcrumb">
              {crumbs.map(({ to, label }) => (
                <span key={to}>
                  <Link to={to}>{label}</Link> <span aria-hidden="true">/</span>
                </span>
              ))}
            </nav>
          )}
          <h1>{heading ?? title}</h1>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  aside?: ReactNode;
  /** Without space at the edges, for tables. */
  flush?: boolean;
  children: ReactNode;
}

export function Panel({ title, aside, flush = false, children }: PanelProps) {
  return (
    <section className={flush ? 'panel panel-flush' : 'panel'}>
      {title !== undefined && (
        <div className="panel-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  /** What it is for and how to begin. */
  children: ReactNode;
  action?: ReactNode;
}

export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <div className="soft">{children}</div>
      {action}
    </div>
  );
}

/** Names and values. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** While the code of a screen is on its way. */
export function PageSkeleton() {
  return (
    <div className="page">
      <Panel>
        <Waiting lines={8} />
      </Panel>
    </div>
  );
}

/** Grey lines in the place of what is on its way, as tall as that will be. */
export function Waiting({ lines = 4 }: { lines?: number }) {
  return (
    <div className="waiting" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="waiting-line" />
      ))}
    </div>
  );
}
