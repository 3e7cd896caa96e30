/**
 * A menu button. The popover API positions the menu and closes it on Escape and outside clicks; keyboard navigation is
 * implemented here.
 */
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { moveFocus } from './arrow-keys.ts';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  act: () => void;
  /** For menu items that exclude each other. */
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
}

interface MenuProps {
  label: ReactNode;
  /** Accessible name of an icon-only button. */
  name?: string;
  className?: string;
  items: (MenuItem | 'line')[];
}

export function Menu({ label, name, className = 'button button-plain', items }: MenuProps) {
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        id={`${id}-button`}
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          popup.current?.showPopover({ source: event.currentTarget });
        }}
      >
        {label}
      </button>
      <div
        ref={popup}
        id={id}
        className="popup"
        role="menu"
        aria-labelledby={`${id}-button`}
        popover="auto"
        onToggle={({ newState }) => {
          setOpen(newState === 'open');
          if (newState === 'open') popup.current?.querySelector('button')?.focus({ preventScroll: true });
        }}
        onKeyDown={onKey}
      >
        {items.map((item, index) =>
          item === 'line' ? (
            // oxlint-disable-next-line react/no-array-index-key
            <div key={index} role="separator" className="popup-line" />
          ) : (
            <Item key={item.label} item={item} close={() => popup.current?.hidePopover()} />
          ),
        )}
      </div>
    </>
  );
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  const { label, icon, act, checked, danger = false, disabled = false } = item;
  return (
    <button
      type="button"
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      className={danger ? 'popup-item popup-danger' : 'popup-item'}
      tabIndex={-1}
      disabled={disabled}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        // Return the focus to the button first, so that a dialog that opens now returns it there too.
        close();
        act();
      }}
    >
      {icon && <Icon name={icon} />}
      <span className="popup-text">{label}</span>
      {checked === true && <Icon name="check" />}
    </button>
  );
}

function onKey(event: KeyboardEvent<HTMLDivElement>): void {
  const menu = event.currentTarget;
  if (event.key === 'Tab') menu.hidePopover();
  else if (event.key === 'Escape') {
    menu.hidePopover();
    // Escape must not close a dialog around the menu.
    event.preventDefault();
    event.stopPropagation();
  } else if (/^\p{L}$/u.test(event.key)) focusByLetter(menu, event.key);
  else moveFocus(event);
}

function focusByLetter(menu: HTMLElement, letter: string): void {
  const items = [...menu.querySelectorAll<HTMLElement>('button:not(:disabled)')];
  const after = items.findIndex((item) => item === document.activeElement) + 1;
  const begins = (item: HTMLElement) =>
    item.textContent.trim().toLowerCase().startsWith(letter.toLowerCase());
  [...items.slice(after), ...items].find(begins)?.focus();
}
