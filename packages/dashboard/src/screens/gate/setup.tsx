/** Creates the owner account. The token in the link proves access to the terminal of the server. */
import { useQuery } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { impatientClient } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { GateCard, GateProblem, GateSkeleton, passwordAdvice, useFragment } from './card.tsx';
import { useGateForm } from './use-gate-form.ts';

export function Setup() {
  const linked = useFragment();
  const { form, change, submit, error, isPending } = useGateForm(
    { token: linked, name: '', email: '', password: '' },
    (body) => impatientClient.call('setUp', { body }),
  );
  const state = useQuery({ queryKey: ['setup'], queryFn: () => impatientClient.call('readSetup') });
  if (state.isPending) return <GateSkeleton />;
  if (state.data?.needed === false) return <Redirect to="/login" replace />;
  return (
    <GateCard title="Set up Docyard" lead="Create the owner account of this installation.">
      {linked === '' && (
        <Note tone="info">
          Open the setup link that the server printed, or paste its token. The token is also in the file{' '}
          <code>setup-token</code> of the data folder.
        </Note>
      )}
      <Form error={error} onSubmit={submit}>
        {linked === '' && (
          <TextField
            label="Setup token"
            value={form.token}
            onChange={change('token')}
            autoComplete="off"
            mono
            required
            autoFocus
          />
        )}
        <TextField
          label="Your name"
          value={form.name}
          onChange={change('name')}
          autoComplete="name"
          path="name"
          required
          autoFocus={linked !== ''}
        />
        <TextField
          label="Email"
          type="email"
          value={form.email}
          onChange={change('email')}
          autoComplete="username"
          path="email"
          required
        />
        <TextField
          label="Password"
          type="password"
          value={form.password}
          onChange={change('password')}
          autoComplete="new-password"
          hint={passwordAdvice(form.password)}
          path="password"
          required
        />
        <GateProblem error={error} besides={['name', 'email', 'password']} />
        <Button look="primary" type="submit" busy={isPending}>
          Set up and sign in
        </Button>
      </Form>
    </GateCard>
  );
}
