/** A collapsible section. */
import { useId, useState, type ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

interface DisclosureProps {
  icon: IconName;
  label: string;
  defaultOpen?: boolean;
  children: ReactNode;
}

export function Disclosure({ icon, label, defaultOpen = false, children }: DisclosureProps) {
  const id = useId();
  const [open, setOpen] = useState(defaultOpen);
  return (
    <div>
      <button
        type="button"
        className="disclosure"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
        {label}
        <Icon name="chevron" />
      </button>
      {open && <div id={id}>{children}</div>}
    </div>
  );
}
