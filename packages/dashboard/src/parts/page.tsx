/** Layout of a screen: header, panels, empty states and skeletons. */
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icons.tsx';

interface PageProps {
  title: string;
  /** The window title, when the heading is too long for it. */
  heading?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
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
  /** Without padding, for tables. */
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

export function PageSkeleton() {
  return (
    <div className="page">
      <Panel>
        <Waiting lines={8} />
      </Panel>
    </div>
  );
}

export function Waiting({ lines = 4 }: { lines?: number }) {
  return (
    <div className="waiting" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="waiting-line" />
      ))}
    </div>
  );
}
