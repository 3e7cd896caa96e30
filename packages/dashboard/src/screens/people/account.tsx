/** Whoever is signed in, and their own password. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { impatientClient } from '../../api/client.ts';
import { useSession } from '../../session/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { useToast } from '../../parts/toast.tsx';
import { GateProblem, passwordAdvice } from '../gate/card.tsx';
import { roleNames } from './roles.ts';

export function Account() {
  const { person, organization } = useSession();
  const [search, setSearch] = useSearchParams();
  if (person === null) return null;
  return (
    <Panel title="You" aside={<Button onClick={() => setSearch({ password: '1' })}>Change password</Button>}>
      <Facts
        facts={[
          ['Name', person.name],
          ['Email', person.email],
          ['Role', roleNames[person.role]],
          ['Organization', organization.name],
        ]}
      />
      {search.get('password') === '1' && <PasswordDialog onClose={() => setSearch({}, { replace: true })} />}
    </Panel>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ current: '', next: '' });
  const toast = useToast();
  const setup = useQuery({ queryKey: ['setup'], queryFn: () => impatientClient.call('readSetup') });
  const provider = setup.data?.signIn.oidc?.name;
  const change = useMutation({
    mutationFn: () => impatientClient.call('changePassword', { body: form }),
    onSuccess: () => {
      toast('Your password is changed');
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change your password"
      lead="Every other browser in which you are signed in has to sign in again."
    >
      <Form error={change.error} onSubmit={() => change.mutate()}>
        <TextField
          label="Password now"
          type="password"
          value={form.current}
          onChange={(current) => setForm({ ...form, current })}
          autoComplete="current-password"
          required
          autoFocus
        />
        <TextField
          label="New password"
          type="password"
          value={form.next}
          onChange={(next) => setForm({ ...form, next })}
          autoComplete="new-password"
          hint={passwordAdvice(form.next)}
          path="next"
          required
        />
        <GateProblem error={change.error} besides={['next']} />
        {provider !== undefined && (
          <p className="faint">Whoever signs in with {provider} has no password here and changes it there.</p>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={change.isPending}>
            Change password
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
