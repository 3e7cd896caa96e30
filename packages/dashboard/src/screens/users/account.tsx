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
  const { person: user, organization } = useSession();
  const [search, setSearch] = useSearchParams();
  if (user === null) return null;
  return (
    <Panel title="You" aside={<Button onClick={() => setSearch({ password: '1' })}>Change password</Button>}>
      <Facts
        facts={[
          ['Name', user.name],
          ['Email', user.email],
          ['Role', roleNames[user.role]],
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
    <Dialog open onClose={onClose} title="Change your password" lead="Your other sessions end.">
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
          <p className="faint">You sign in with {provider}. Change your password there.</p>
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
