/** Form dialogs and confirmation dialogs. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useRef, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { useDialogEdits } from '../edits/dialog-edits.ts';
import { TextField } from './field.tsx';
import { useFocusReturn } from './focus-return.ts';
import { Icon } from './icons.tsx';
import { Problem } from './problem.tsx';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  /** The content is shown only once: Escape and outside clicks do not close the dialog. */
  keep?: boolean;
  children: ReactNode;
}

export function Dialog({ open, onClose, title, lead, wide = false, keep = false, children }: DialogProps) {
  useFocusReturn(open);
  const popup = useRef<HTMLDivElement>(null);
  const { isEdited, listeners } = useDialogEdits(popup);
  const [isAsked, setAsked] = useState(false);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, { reason }) => {
        if (next || (keep && (reason === 'escape-key' || reason === 'outside-press'))) return;
        if (isEdited()) setAsked(true);
        else onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="veil" />
        <Base.Viewport className="dialog-place">
          <Base.Popup
            ref={popup}
            className={wide ? 'dialog dialog-wide' : 'dialog'}
            {...listeners}
            // Focus the first field instead of the close button.
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
            <Confirm
              open={isAsked}
              onClose={() => setAsked(false)}
              {...discardQuestion}
              act={() => {
                setAsked(false);
                onClose();
              }}
              busy={false}
            >
              Your changes are not saved yet.
            </Confirm>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}

interface ConfirmProps {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  action: string;
  act: () => void;
  busy: boolean;
  error?: unknown;
  /** Text that the user must type to confirm. */
  typed?: string;
  keep?: string;
}

export const discardQuestion = {
  title: 'Discard unsaved changes?',
  action: 'Discard changes',
  keep: 'Keep editing',
};

export function Confirm(props: ConfirmProps) {
  const { open, onClose, title, children, action, act, busy, error, typed, keep = 'Keep it' } = props;
  const [text, setText] = useState('');
  useFocusReturn(open);
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
              <AlertDialog.Close className="button button-plain">{keep}</AlertDialog.Close>
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
