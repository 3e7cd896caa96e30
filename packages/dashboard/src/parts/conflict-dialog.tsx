/** Lets the user resolve a conflict with a newer version of a record. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Button } from './button.tsx';
import { DialogActions } from './dialog.tsx';
import type { Conflict } from './record-form.ts';

interface ConflictDialogProps<Form extends object> {
  conflict: Conflict<Form> | undefined;
  form: Form;
  /** Labels of the fields that may be shown. Secrets are omitted. */
  labels: Partial<Record<keyof Form, string>>;
  isPending: boolean;
}

export function ConflictDialog<Form extends object>(props: ConflictDialogProps<Form>) {
  const { conflict, form, labels, isPending } = props;
  return (
    <AlertDialog.Root
      open={conflict !== undefined}
      onOpenChange={(next) => (next ? undefined : conflict?.close())}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="veil" />
        <AlertDialog.Viewport className="dialog-place">
          <AlertDialog.Popup className="dialog">
            <AlertDialog.Title className="dialog-title">Changed in the meantime</AlertDialog.Title>
            <AlertDialog.Description className="soft">
              These settings were saved in another tab or by another user after you opened them. Load the
              saved values and lose your edits, or overwrite them with yours.
            </AlertDialog.Description>
            {conflict !== undefined && <Differences ours={form} saved={conflict.current} labels={labels} />}
            <DialogActions>
              <AlertDialog.Close className="button button-plain">Keep editing</AlertDialog.Close>
              <Button onClick={() => conflict?.reload()}>Load saved values</Button>
              <Button look="danger" busy={isPending} onClick={() => conflict?.overwrite()}>
                Overwrite
              </Button>
            </DialogActions>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

interface DifferencesProps<Form extends object> {
  ours: Form;
  saved: Form;
  labels: Partial<Record<keyof Form, string>>;
}

function Differences<Form extends object>({ ours, saved, labels }: DifferencesProps<Form>) {
  const names = Object.keys(labels) as (keyof Form)[];
  const changed = names.filter((name) => JSON.stringify(ours[name]) !== JSON.stringify(saved[name]));
  if (changed.length === 0) return null;
  return (
    <table className="conflict">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Saved</th>
          <th scope="col">Yours</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((name) => (
          <tr key={String(name)}>
            <th scope="row">{labels[name]}</th>
            <td>{shown(saved[name])}</td>
            <td>{shown(ours[name])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '';
  return text === '' ? 'empty' : text;
}
