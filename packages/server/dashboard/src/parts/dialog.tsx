/** Dialogs: one for forms, one that asks before something cannot be undone. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Icon } from './icons.tsx';
import { Problem } from './problem.tsx';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** A sentence below the title. */
  lead?: ReactNode;
  wide?: boolean;
  /** Holds what is shown only once: a stray click or key does not close it. */
  keep?: boolean;
  children: ReactNode;
}

export function Dialog({ open, onClose, title, lead, wide = false, keep = false, children }: DialogProps) {
  useFocusAfter(open);
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, { reason }) => {
        if (next || (keep && (reason === 'escape-key' || reason === 'outside-press'))) return;
        onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Viewport className="dialog-place">
          <Base.Popup
            ref={popup}
            className={wide ? 'dialog dialog-wide' : 'dialog'}
            // Whoever opens a form wants to fill it in, not to close it.
            initialFocus={() => popup.current?.querySelector<HTMLElement>('.input') ?? true}
          >
            <div className="dialog-head">
              <div>
                <Base.Title className="dialog-title">{title}</Base.Title>
                {lead !== undefined && <Base.Description className="soft">{lead}</Base.Description>}
              </div>
              <Base.Close className="icon-button" aria-label="Close">
                <Icon name="close" />
              </Base.Close>
            </div>
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** What the button says; a verb. */
  action: string;
  act: () => void;
  busy: boolean;
  error?: unknown;
  /** Must be typed before the button works; for what would hurt most. */
  typed?: string;
}

export function Confirm(props: ConfirmProps) {
  const { open, onClose, title, children, action, act, busy, error, typed } = props;
  const [text, setText] = useState('');
  useFocusAfter(open);
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="veil" />
        <AlertDialog.Viewport className="dialog-place">
          <AlertDialog.Popup className="dialog">
            <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
            <AlertDialog.Description className="soft" render={<div />}>
              {children}
            </AlertDialog.Description>
            {typed !== undefined && (
              <TextField label={`Type ${typed} to confirm`} value={text} onChange={setText} autoFocus />
            )}
            {error !== undefined && error !== null && <Problem error={error} />}
            <DialogActions>
              <AlertDialog.Close className="button button-plain">Keep it</AlertDialog.Close>
              <Button
                look="danger"
                onClick={act}
                busy={busy}
                disabled={typed !== undefined && text.trim() !== typed}
              >
                {action}
              </Button>
            </DialogActions>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** The focus goes back to where it was. When that is gone, as the menu of a row that was deleted, it goes to the screen. */
function useFocusAfter(open: boolean): void {
  useEffect(() => {
    if (!open) return undefined;
    return () => {
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        document.querySelector<HTMLElement>('#content')?.focus({ preventScroll: true });
      }, 100);
    };
  }, [open]);
}
