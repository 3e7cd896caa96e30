/** What can be done about somebody else: another role, no way in for a while, or for good. */
import { DocyardError, type Person, type Role } from '@docyard/api';
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

interface AboutPerson {
  person: Person;
  onClose: () => void;
}

export function ChangeRoleDialog({ person, onClose }: AboutPerson) {
  const me = useSession();
  const params = { personId: person.id };
  const done = useDone(onClose);
  const edit = useRecordForm({
    record: person,
    formOf: ({ role }: Person) => ({ role }),
    save: (fields: { role: Role }, version) =>
      client.call('updatePerson', { params, body: { ...fields, version } }),
    read: () => readPerson(person),
    onSaved: ({ role }) => void done(`${nameOf(person)} is ${/^[ao]/.test(role) ? 'an' : 'a'} ${role} now`),
  });
  const { form, set } = edit;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Role of ${nameOf(person)}`}
      lead="It counts from the next request on."
    >
      <Form error={edit.error} onSubmit={edit.submit}>
        <ChoiceCards
          label="Role"
          value={form.role}
          onChange={(role) => set({ role })}
          choices={roleChoices(me)}
        />
        <FormProblem />
        <ApiCall operation="updatePerson" params={params} body={form} />
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

/** From the list: a person has no address of their own. */
async function readPerson({ id }: Person): Promise<Person> {
  for await (const each of client.each('listPeople', { query: { limit: 100 } })) {
    if (each.id === id) return each;
  }
  throw new DocyardError(404, { error: 'This person was removed.', code: 'not_found' }, undefined);
}

export function DisablePerson({ person, onClose }: AboutPerson) {
  const done = useDone(onClose);
  const disable = useMutation({
    mutationFn: () =>
      client.call('updatePerson', { params: { personId: person.id }, body: { disabled: true } }),
    onSuccess: () => done(`${nameOf(person)} is disabled`),
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Disable ${nameOf(person)}?`}
      action="Disable"
      act={() => disable.mutate()}
      busy={disable.isPending}
      error={disable.error}
    >
      <p>They are signed out everywhere at once and cannot come back until you let them in again.</p>
    </Confirm>
  );
}

export function RemovePerson({ person, onClose }: AboutPerson) {
  const done = useDone(onClose);
  const remove = useMutation({
    mutationFn: () => client.call('removePerson', { params: { personId: person.id } }),
    onSuccess: () => done(`${nameOf(person)} is removed`),
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${nameOf(person)}?`}
      action="Remove"
      act={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>
        They are signed out everywhere at once. What they have made stays, and the audit log keeps their name.
        Keys they have made go on working: look at <em>API keys</em> too.
      </p>
    </Confirm>
  );
}

function useDone(onClose: () => void): (message: string) => Promise<void> {
  const queries = useQueryClient();
  const toast = useToast();
  return async (message) => {
    await queries.invalidateQueries({ queryKey: ['people'] });
    toast(message);
    onClose();
  };
}
