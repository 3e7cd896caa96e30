import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon, type IconName } from './icons.tsx';

export type ButtonLook = 'primary' | 'plain' | 'quiet' | 'danger';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  icon?: IconName;
  busy?: boolean;
  children: ReactNode;
}

export function Button({ look = 'plain', icon, busy = false, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${look}`}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function ButtonLink(props: {
  to: string;
  look?: ButtonLook;
  icon?: IconName;
  children: ReactNode;
  outside?: boolean;
}) {
  const { to, look = 'plain', icon, children, outside = false } = props;
  const content = (
    <>
      {icon && <Icon name={icon} />}
      {children}
    </>
  );
  const className = `button button-${look}`;
  if (outside)
    return (
      <a href={to} className={className} rel="noreferrer">
        {content}
      </a>
    );
  return (
    <Link to={to} className={className}>
      {content}
    </Link>
  );
}

export function IconButton({
  icon,
  label,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { icon: IconName; label: string }) {
  return (
    <button type="button" {...rest} className="icon-button" aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}
