/** A searchable selection field. Keyboard and roles follow the combobox pattern of the ARIA Authoring Practices Guide. */
import { useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Frame, type FieldProps } from './field.tsx';
import { Icon } from './icons.tsx';

export interface ComboboxOption {
  value: string;
  label: string;
  hint?: string;
}

interface ComboboxProps extends FieldProps {
  chosen: ComboboxOption | undefined;
  options: readonly ComboboxOption[];
  search: string;
  onSearch: (text: string) => void;
  onChoose: (value: string) => void;
  placeholder: string;
  foot?: ReactNode;
  busy?: boolean;
}

export function Combobox(props: ComboboxProps) {
  const { chosen, options, search, onSearch, onChoose, placeholder, foot, busy = false, ...frame } = props;
  const listId = useId();
  const popup = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const show = (input: HTMLInputElement) => {
    if (open) return;
    setOpen(true);
    setActive(
      Math.max(
        0,
        options.findIndex(({ value }) => value === chosen?.value),
      ),
    );
    popup.current?.showPopover({ source: input });
  };
  const close = () => {
    if (!open) return;
    setOpen(false);
    popup.current?.hidePopover();
    onSearch('');
  };
  const choose = (option: ComboboxOption | undefined) => {
    if (option !== undefined) onChoose(option.value);
    close();
  };
  const move = (step: number) => setActive((at) => Math.min(Math.max(at + step, 0), options.length - 1));
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (open) move(event.key === 'ArrowDown' ? 1 : -1);
      else show(event.currentTarget);
    } else if (event.key === 'Enter' && open) choose(options[active]);
    else if (event.key === 'Escape' && open) {
      close();
      // Escape must not close a dialog around the field.
      event.stopPropagation();
      event.nativeEvent.stopImmediatePropagation();
    } else return;
    event.preventDefault();
  };
  return (
    <Frame {...frame}>
      {(ties) => (
        <div className="select combobox">
          <input
            {...ties}
            className="input"
            type="text"
            role="combobox"
            autoComplete="off"
            spellCheck={false}
            aria-autocomplete="list"
            aria-expanded={open}
            aria-controls={listId}
            aria-activedescendant={open && options.length > 0 ? `${listId}-${active}` : undefined}
            value={open ? search : (chosen?.label ?? '')}
            placeholder={open && chosen !== undefined ? chosen.label : placeholder}
            maxLength={100}
            onClick={(event) => show(event.currentTarget)}
            onChange={(event) => {
              show(event.currentTarget);
              setActive(0);
              onSearch(event.target.value);
            }}
            onKeyDown={onKeyDown}
            onBlur={close}
          />
          <Icon name="chevron" />
          <div
            ref={popup}
            className="popup combobox-popup"
            popover="manual"
            // Keep the focus in the field when the list is pressed.
            onPointerDown={(event) => event.preventDefault()}
          >
            <div id={listId} role="listbox" aria-label={frame.label} aria-busy={busy}>
              {open &&
                options.map((option, index) => (
                  <Option
                    key={option.value}
                    id={`${listId}-${index}`}
                    option={option}
                    isActive={index === active}
                    isChosen={option.value === chosen?.value}
                    onPointerMove={() => setActive(index)}
                    onClick={() => choose(option)}
                  />
                ))}
            </div>
            {open && foot !== undefined && (
              <p className="combobox-foot" role="status">
                {foot}
              </p>
            )}
          </div>
        </div>
      )}
    </Frame>
  );
}

interface OptionProps {
  id: string;
  option: ComboboxOption;
  isActive: boolean;
  isChosen: boolean;
  onPointerMove: () => void;
  onClick: () => void;
}

function Option({ id, option, isActive, isChosen, onPointerMove, onClick }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={isActive ? 'combobox-option combobox-option-active' : 'combobox-option'}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onPointerMove={onPointerMove}
      onClick={onClick}
    >
      <span className="popup-text">
        {option.label}
        {option.hint !== undefined && <span className="combobox-hint">{option.hint}</span>}
      </span>
      {isChosen && <Icon name="check" />}
    </div>
  );
}
