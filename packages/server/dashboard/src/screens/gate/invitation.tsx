/** Whoever was invited chooses a name and a password. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { impatientClient } from '../../app/client.ts';
import { Button } from '../../parts/button.tsx';
import { fieldError, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { GateCard, GateProblem, passwordAdvice, useFragment } from './card.tsx';

export function Invitation() {
  const token = useFragment();
  const [form, setForm] = useState({ name: '', password: '' });
  const [, go] = useLocation();
  const queries = useQueryClient();
  const accept = useMutation({
    mutationFn: () => impatientClient.call('acceptInvitation', { body: { token, ...form } }),
    onSuccess: (me) => {
      queries.setQueryData(['me'], me);
      go('/', { replace: true });
    },
  });
  const change = (field: keyof typeof form) => (value: string) => {
    setForm({ ...form, [field]: value });
    if (accept.isError) accept.reset();
  };
  if (token === '')
    return (
      <GateCard title="Invitation" lead="This address needs the link that you were given.">
        <Note tone="warn">The link was not copied whole: the part after the # is missing.</Note>
      </GateCard>
    );
  return (
    <GateCard title="Welcome" lead="Choose how you are called here and how you sign in.">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          accept.mutate();
        }}
      >
        <TextField
          label="Your name"
          value={form.name}
          onChange={change('name')}
          autoComplete="name"
          error={fieldError(accept.error, 'name')}
          required
          autoFocus
        />
        <TextField
          label="Password"
          type="password"
          value={form.password}
          onChange={change('password')}
          autoComplete="new-password"
          hint={passwordAdvice(form.password)}
          error={fieldError(accept.error, 'password')}
          required
        />
        <GateProblem error={accept.error} besides={['name', 'password']} />
        <Button look="primary" type="submit" busy={accept.isPending}>
          Accept and sign in
        </Button>
      </form>
    </GateCard>
  );
}
