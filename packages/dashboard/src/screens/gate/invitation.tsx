import { impatientClient } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { GateCard, GateProblem, passwordAdvice, useFragment } from './card.tsx';
import { useGateForm } from './use-gate-form.ts';

export function Invitation() {
  const token = useFragment();
  const { form, change, submit, error, isPending } = useGateForm({ name: '', password: '' }, (body) =>
    impatientClient.call('acceptInvitation', { body: { token, ...body } }),
  );
  if (token === '')
    return (
      <GateCard title="Invitation" lead="Open the complete invitation link.">
        <Note tone="warn">The link is incomplete: the part after # is missing.</Note>
      </GateCard>
    );
  return (
    <GateCard title="Welcome" lead="Choose your name and password.">
      <Form error={error} onSubmit={submit}>
        <TextField
          label="Your name"
          value={form.name}
          onChange={change('name')}
          autoComplete="name"
          path="name"
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
          path="password"
          required
        />
        <GateProblem error={error} besides={['name', 'password']} />
        <Button look="primary" type="submit" busy={isPending}>
          Accept and sign in
        </Button>
      </Form>
    </GateCard>
  );
}
