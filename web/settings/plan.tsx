import type { Settings } from '#web/client/account.ts'
import { count } from '#web/ui/moment.tsx'

/** The tier of the account, with its limits and endpoints. The operator sets the tier. */
export function Plan({ settings: { tier, limits, endpoints } }: { settings: Settings }) {
  return (
    <section aria-labelledby="plan">
      <h3 id="plan">Tier and limits</h3>
      <dl class="facts">
        <Fact name="Tier" value={tier} />
        <Fact name="Requests a minute" value={count(limits.requests)} />
        <Fact name="Chat questions a minute" value={count(limits.chats)} />
        <Fact name="Alerts" value={count(limits.alerts)} />
        <Fact name="Watchlists" value={count(limits.watchlists)} />
      </dl>
      <details>
        <summary>Endpoints of the tier ({endpoints.length})</summary>
        <ul>
          {endpoints.map((name) => (
            <li key={name}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </details>
    </section>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
