/** A menu behind a button. */
import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  act: () => void;
  /** One of several that exclude each other. */
  checked?: boolean;
  danger?: boolean;
  disabled?: boolean;
}

interface MenuProps {
  label: ReactNode;
  /** For a button that shows only an icon. */
  name?: string;
  className?: string;
  items: (MenuItem | 'line')[];
}

export function Menu({ label, name, className = 'button button-plain', items }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger className={className} aria-label={name}>
        {label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-place" sideOffset={6} align="end">
          <Base.Popup className="popup">
            {items.map((item, index) =>
              item === 'line' ? (
                // oxlint-disable-next-line react/no-array-index-key
                <Base.Separator key={index} className="popup-line" />
              ) : (
                <Base.Item
                  key={item.label}
                  className={item.danger === true ? 'popup-item popup-danger' : 'popup-item'}
                  onClick={item.act}
                  disabled={item.disabled ?? false}
                >
                  {item.icon && <Icon name={item.icon} />}
                  <span className="popup-text">{item.label}</span>
                  {item.checked === true && (
                    <>
                      <Icon name="check" />
                      <span className="visually-hidden">chosen</span>
                    </>
                  )}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
