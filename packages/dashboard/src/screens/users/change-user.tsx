/** Dialogs that change the role of a user, disable the user or remove the user. */
import { DocyardError, type User, type Role } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { ChoiceCards } from '../../parts/choice.tsx';
import { ConflictDialog } from '../../parts/conflict-dialog.tsx';
import { Confirm, Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { useRecordForm } from '../../parts/record-form.ts';
import { useToast } from '../../parts/toast.tsx';
import { nameOf, roleChoices } from './roles.ts';

interface UserDialogProps {
  user: User;
  onClose: () => void;
}

export function ChangeRoleDialog({ user, onClose }: UserDialogProps) {
  const me = useSession();
  const params = { userId: user.id };
  const done = useDone(onClose);
  const edit = useRecordForm({
    record: user,
    formOf: ({ role }: User) => ({ role }),
    save: (fields: { role: Role }, version) =>
      client.call('updateUser', { params, body: { ...fields, version } }),
    read: () => readUser(user),
    onSaved: ({ role }) => void done(`${nameOf(user)} is ${/^[ao]/.test(role) ? 'an' : 'a'} ${role} now`),
  });
  const { form, set } = edit;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Role of ${nameOf(user)}`}
      lead="The change takes effect with the next request."
    >
      <Form error={edit.error} onSubmit={edit.submit}>
        <ChoiceCards
          label="Role"
          value={form.role}
          onChange={(role) => set({ role })}
          choices={roleChoices(me)}
        />
        <FormProblem />
        <ApiCall operation="updateUser" params={params} body={form} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={edit.isPending} disabled={edit.isSame}>
            Change role
          </Button>
        </DialogActions>
        <ConflictDialog
          conflict={edit.conflict}
          form={form}
          labels={{ role: 'Role' }}
          isPending={edit.isPending}
        />
      </Form>
    </Dialog>
  );
}

/** The API has no operation that reads one user. */
async function readUser({ id }: User): Promise<User> {
  for await (const each of client.each('listUsers', { query: { limit: 100 } })) {
    if (each.id === id) return each;
  }
  throw new DocyardError(404, { error: 'This user was removed.', code: 'not_found' }, undefined);
}

export function DisableUserDialog({ user, onClose }: UserDialogProps) {
  const done = useDone(onClose);
  const disable = useMutation({
    mutationFn: () => client.call('updateUser', { params: { userId: user.id }, body: { disabled: true } }),
    onSuccess: () => done(`${nameOf(user)} is disabled`),
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Disable ${nameOf(user)}?`}
      action="Disable"
      act={() => disable.mutate()}
      busy={disable.isPending}
      error={disable.error}
    >
      <p>The user is signed out everywhere and cannot sign in until you enable them again.</p>
    </Confirm>
  );
}

export function RemoveUserDialog({ user, onClose }: UserDialogProps) {
  const done = useDone(onClose);
  const remove = useMutation({
    mutationFn: () => client.call('removeUser', { params: { userId: user.id } }),
    onSuccess: () => done(`${nameOf(user)} is removed`),
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${nameOf(user)}?`}
      action="Remove"
      act={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>
        The user is signed out everywhere. Records they created are kept, and the audit log keeps their name.
        Their API keys stay valid: check <em>API keys</em> too.
      </p>
    </Confirm>
  );
}

function useDone(onClose: () => void): (message: string) => Promise<void> {
  const queries = useQueryClient();
  const toast = useToast();
  return async (message) => {
    await queries.invalidateQueries({ queryKey: ['users'] });
    toast(message);
    onClose();
  };
}
