import { useQuery } from '@tanstack/react-query';
import { Redirect, useSearchParams } from 'wouter';
import { impatientClient } from '../../api/client.ts';
import { returnPath } from '../../session/return-path.ts';
import { useMe } from '../../session/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { GateCard, GateProblem, GateSkeleton } from './card.tsx';
import { useGateForm } from './use-gate-form.ts';

export function Login() {
  const [search] = useSearchParams();
  const place = returnPath(search.get('to'));
  const me = useMe();
  const { form, change, submit, error, isPending } = useGateForm(
    { email: '', password: '' },
    (body) => impatientClient.call('signIn', { body }),
    place,
  );
  const state = useQuery({ queryKey: ['setup'], queryFn: () => impatientClient.call('readSetup') });
  if (me.isSuccess) return <Redirect to={place} replace />;
  if (state.isPending || me.isPending) return <GateSkeleton />;
  if (state.data?.needed === true) return <Redirect to="/setup" replace />;
  const oidc = state.data?.signIn.oidc ?? null;
  const refusal = search.get('refused');
  return (
    <GateCard title="Sign in" lead="Sign in to the documentation service of your organization.">
      {search.get('ended') !== null && refusal === null && (
        <Note tone="info">Your session has ended. Sign in to continue.</Note>
      )}
      {refusal !== null && <Note tone="bad">{refusals[refusal] ?? refusals['other']}</Note>}
      {oidc !== null && (
        <ButtonLink
          to={`${oidc.startUrl}?to=${encodeURIComponent(place)}`}
          look="primary"
          icon="shield"
          outside
        >
          Continue with {oidc.name}
        </ButtonLink>
      )}
      <Form error={error} onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          value={form.email}
          onChange={change('email')}
          autoComplete="username"
          required
          autoFocus={oidc === null}
        />
        <TextField
          label="Password"
          type="password"
          value={form.password}
          onChange={change('password')}
          autoComplete="current-password"
          required
        />
        <GateProblem error={error} />
        <Button look={oidc === null ? 'primary' : 'plain'} type="submit" busy={isPending}>
          Sign in
        </Button>
      </Form>
      <p className="faint">
        Locked out? The operator can set a new password with <code>docyard users password</code>.
      </p>
    </GateCard>
  );
}

/** Error codes that the single sign-on redirect may return. */
const refusals: Record<string, string> = {
  not_invited: 'You have no account. Ask an administrator for an invitation.',
  disabled: 'Your account is disabled. Ask an administrator.',
  email_unverified: 'Your identity provider has not verified your email address.',
  setup_needed: 'This service has no owner account yet. Open the setup link first.',
  sign_in_expired: 'The sign-in took too long. Try again.',
  sign_in_refused: 'The sign-in was canceled or refused.',
  issuer_unavailable: 'Your identity provider cannot be reached. Try again in a moment.',
  other: 'The sign-in at your identity provider failed. See the server log for the reason.',
};
