/**
 * Lets only readers who have signed in reach a site. It serves the pages of the sign-in below `/_docyard/access/`, and keeps
 * sessions in signed cookies.
 */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { sendText } from '../serving/send-file.ts';
import type { Gate, Reader, Visitor } from '../serving/gate.ts';
import type { SiteExchange } from '../serving/respond.ts';
import { readForm } from './form.ts';
import type { SignIn, SignInStep } from './sign-in.ts';
import { cookieValues } from './signed-cookies.ts';
import { pendingCookie, sessionCookie, Visit, type VisitOptions } from './visit.ts';

export interface AccessGateOptions extends VisitOptions {
  signIn: SignIn;
  /** Readers without a session see what readers without a group see. */
  isSignInOptional: boolean;
}

const Session = z.object({ name: z.string().nullable(), groups: z.array(z.string()) });

const withoutForm = { action: '', button: null };

export class AccessGate implements Gate {
  readonly #options: AccessGateOptions;

  constructor(options: AccessGateOptions) {
    this.#options = options;
  }

  async admit(exchange: SiteExchange): Promise<Visitor | undefined> {
    const visit = new Visit(this.#options, exchange);
    const ownPath = visit.ownPath();
    if (ownPath !== undefined) {
      await this.#serve(visit, ownPath);
      return undefined;
    }
    const reader = await this.#readerOf(exchange.request);
    return { reader, mustSignIn: !this.#options.isSignInOptional };
  }

  askToSignIn(exchange: SiteExchange): void {
    new Visit(this.#options, exchange).askToSignIn();
  }

  async deny(exchange: SiteExchange, { name }: Reader): Promise<void> {
    const visit = new Visit(this.#options, exchange);
    const account = name === null ? 'This password' : `Your account (${name})`;
    const message = `${account} is not allowed to read this site. Ask its owner for access.`;
    const link = { label: 'Sign out', address: visit.pathOf('sign-out') };
    await visit.show({ title: 'No access', message, isProblem: true, link }, 403, withoutForm);
  }

  async #readerOf(request: IncomingMessage): Promise<Reader | undefined> {
    const { signIn, cookies } = this.#options;
    const session = cookies.verify('session', cookieValues(request.headers.cookie, sessionCookie), Session);
    return session ?? (await signIn.recognize?.(request));
  }

  async #serve(visit: Visit, name: string): Promise<void> {
    const { method = '' } = visit.exchange.request;
    const isPost = method === 'POST';
    if (!isPost && method !== 'GET' && method !== 'HEAD')
      return sendText(visit.exchange, 405, 'Only GET, HEAD and POST are supported.', [
        'Allow',
        'GET, HEAD, POST',
      ]);
    if (isPost && !visit.isFromThisSite())
      return sendText(
        visit.exchange,
        403,
        'The form was sent from another site. Open this site and try again.',
      );
    const form = isPost ? await readForm(visit.exchange.request) : new URLSearchParams();
    if (form === undefined) return sendText(visit.exchange, 400, 'The form cannot be read.');
    const step = visit.signInStep(form);
    if (name === 'sign-in') return this.#signIn(visit, step, isPost);
    if (name === 'sign-out') return this.#signOut(visit, step, isPost);
    if (name === 'callback' && !isPost) return this.#complete(visit, step);
    return sendText(visit.exchange, 404, 'Not found.');
  }

  async #signIn(visit: Visit, step: SignInStep, isPost: boolean): Promise<void> {
    const { signIn } = this.#options;
    const reader = isPost ? undefined : await this.#readerOf(step.request);
    if (reader !== undefined) return visit.redirect(step.to);
    await visit.finish(
      await (isPost && signIn.submit !== undefined ? signIn.submit(step) : signIn.begin(step)),
    );
  }

  async #complete(visit: Visit, step: SignInStep): Promise<void> {
    const { signIn, cookies } = this.#options;
    if (signIn.complete === undefined) return sendText(visit.exchange, 404, 'Not found.');
    const texts = cookieValues(step.request.headers.cookie, pendingCookie);
    const pending = cookies.verify('pending', texts, z.unknown());
    await visit.finish(await signIn.complete(step, pending));
  }

  async #signOut(visit: Visit, step: SignInStep, isPost: boolean): Promise<void> {
    const { signIn } = this.#options;
    if (isPost) {
      const provider = await signIn.signOutAddress?.(step);
      return visit.redirect(provider ?? visit.pathOf('sign-out'), [visit.cookie(sessionCookie, '', 0)]);
    }
    const reader = await this.#readerOf(step.request);
    if (reader === undefined) {
      const link = { label: 'Sign in again', address: visit.pathOf('sign-in') };
      return visit.show({ title: 'You are signed out', link }, 200, withoutForm);
    }
    const formTarget = await signIn.signOutAddress?.(step);
    const message = reader.name === null ? {} : { message: `You are signed in as ${reader.name}.` };
    const link = { label: 'Back to the site', address: step.to };
    await visit.show({ title: 'Sign out', ...message, link }, 200, {
      action: visit.pathOf('sign-out'),
      button: 'Sign out',
      formTarget,
    });
  }
}
