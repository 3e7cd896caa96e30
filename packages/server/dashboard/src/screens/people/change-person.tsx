/** What can be done about somebody else: another role, no way in for a while, or for good. */
import type { Person, Role } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../app/client.ts';
import { useSession } from '../../app/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { ChoiceCards } from '../../parts/choice.tsx';
import { Confirm, Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useToast } from '../../parts/toast.tsx';
import { nameOf, roleChoices } from './roles.ts';

interface AboutPerson {
  person: Person;
  onClose: () => void;
}

export function ChangeRoleDialog({ person, onClose }: AboutPerson) {
  const me = useSession();
  const [role, setRole] = useState<Role>(person.role);
  const call = { params: { personId: person.id }, body: { role } };
  const done = useDone(onClose);
  const change = useMutation({
    mutationFn: () => client.call('updatePerson', call),
    onSuccess: () => done(`${nameOf(person)} is ${/^[ao]/.test(role) ? 'an' : 'a'} ${role} now`),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Role of ${nameOf(person)}`}
      lead="It counts from the next request on."
    >
      <ChoiceCards label="Role" value={role} onChange={setRole} choices={roleChoices(me)} />
      {change.error !== null && <Problem error={change.error} />}
      <ApiCall operation="updatePerson" {...call} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          onClick={() => change.mutate()}
          busy={change.isPending}
          disabled={role === person.role}
        >
          Change role
        </Button>
      </DialogActions>
    </Dialog>
  );
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
