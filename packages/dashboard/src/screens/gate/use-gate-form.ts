/** Form state shared by sign-in, setup and invitation. */
import type { Me } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { announceSession } from '../../session/session-channel.ts';

export function useGateForm<Form extends Record<string, string>>(
  empty: Form,
  send: (form: Form) => Promise<Me>,
  place = '/',
) {
  const [form, setForm] = useState(empty);
  const [, go] = useLocation();
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () => send(form),
    onSuccess: (me) => {
      // Another user may sign in, so cached data must not stay.
      queries.getQueryCache().clear();
      queries.setQueryData(['me'], me);
      announceSession('signed-in');
      go(place, { replace: true });
    },
  });
  return {
    form,
    error: sending.error,
    isPending: sending.isPending,
    change: (field: keyof Form) => (value: string) => {
      setForm({ ...form, [field]: value });
      if (sending.isError) sending.reset();
    },
    submit: () => sending.mutate(),
  };
}
