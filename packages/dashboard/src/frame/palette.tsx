/** The command palette, opened with Ctrl+K or Cmd+K. */
import { Dialog } from '@base-ui/react/dialog';
import {
  useEffect,
  useId,
  useRef,
  useState,
  type Dispatch,
  type KeyboardEvent,
  type RefObject,
  type SetStateAction,
} from 'react';
import { Icon } from '../parts/icons.tsx';
import { useCommands, type Command } from './palette-commands.ts';

interface PaletteProps {
  open: boolean;
  setOpen: Dispatch<SetStateAction<boolean>>;
}

export function CommandPalette({ open, setOpen }: PaletteProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    globalThis.addEventListener('keydown', onKey);
    return () => globalThis.removeEventListener('keydown', onKey);
  }, [setOpen]);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="palette" aria-label="Command palette" initialFocus={input}>
          <Palette input={input} close={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

export function PaletteButton({ open }: { open: () => void }) {
  return (
    <button type="button" className="palette-button" aria-keyshortcuts="Control+K Meta+K" onClick={open}>
      <Icon name="search" />
      <span>Search</span>
      <kbd aria-hidden="true">{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}

function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}

function Palette({ input, close }: { input: RefObject<HTMLInputElement | null>; close: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const { commands, isSearching } = useCommands(text);
  const at = Math.min(active, Math.max(0, commands.length - 1));
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
    const next = moves[event.key];
    if (event.key === 'Enter') run(commands[at]);
    else if (next !== undefined) setActive((next + commands.length) % Math.max(1, commands.length));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="palette-head">
        <Icon name="search" />
        <input
          ref={input}
          className="palette-input"
          role="combobox"
          aria-label="Search projects, exports, screens and actions"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={id}
          aria-activedescendant={commands.length > 0 ? `${id}-${at}` : undefined}
          placeholder="Search projects, exports, screens and actions"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={id} role="listbox" aria-label="Results" aria-busy={isSearching} className="palette-list">
        {[...Map.groupBy(commands, ({ group }) => group)].map(([group, members]) => (
          <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
            <p id={`${id}-${group}`} className="palette-group" role="presentation">
              {group}
            </p>
            {members.map((command) => {
              const place = commands.indexOf(command);
              return (
                <Option
                  key={command.id}
                  id={`${id}-${place}`}
                  command={command}
                  isActive={place === at}
                  point={() => setActive(place)}
                  run={() => run(command)}
                />
              );
            })}
          </div>
        ))}
      </div>
      <p className="palette-foot" role="status">
        {commands.length > 0 ? `${commands.length} results` : isSearching ? 'Searching…' : 'Nothing matches.'}
      </p>
    </>
  );
}

interface OptionProps {
  id: string;
  command: Command;
  isActive: boolean;
  point: () => void;
  run: () => void;
}

function Option({ id, command: { label, hint, icon }, isActive, point, run }: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={isActive ? 'combobox-option combobox-option-active' : 'combobox-option'}
      ref={(element) => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onPointerMove={point}
      onClick={run}
    >
      <Icon name={icon} />
      <span className="popup-text">
        {label}
        {hint !== undefined && <span className="combobox-hint">{hint}</span>}
      </span>
    </div>
  );
}
