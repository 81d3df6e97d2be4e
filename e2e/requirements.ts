/**
 * What scenarios promise: a requirement's id, where it comes from, and what it says in our words. Ids are those that
 * comments in the code name; those without a page of the protocol are rules of our own.
 */
export interface Requirement {
  /** Page of MCP 2026-07-28, section of an RFC, a convention, or our own rule. */
  readonly clause: string;
  readonly sentence: string;
}

const requirement = (clause: string, sentence: string): Requirement => ({ clause, sentence });

const OWN = 'our own rule';

export const REQUIREMENTS = {
  // One request at a time
  'A-01': requirement('basic', 'A message is JSON-RPC 2.0; the id of a request is a string or an integer.'),
  'A-02': requirement('basic', 'An answer carries the id of its request, and none when it could not be read.'),
  'A-07': requirement('basic', 'A request without version or capabilities in its envelope is refused.'),
  'A-08': requirement('basic', 'Who the client is need not be said.'),
  'A-12': requirement('basic', 'Nothing of one request is used to understand another.'),
  'A-13': requirement('basic', 'What outlives a request is named by something the client sends each time.'),
  'A-14': requirement('basic', 'Related requests need neither the same connection nor the same process.'),
  'A-15': requirement('basic', 'What a call needs and the request does not declare is named in the error.'),
  'A-16': requirement('basic/versioning', 'A version that is not served is answered with those that are.'),
  'A-22': requirement('basic/transports/streamable-http', 'One message a request, no batches.'),
  'A-23': requirement('basic/transports/streamable-http', 'Foreign hosts and origins are refused.'),
  'A-24': requirement(
    'basic/transports/streamable-http',
    'A reply is one JSON object or one event stream, as the client accepts.',
  ),
  'A-25': requirement('basic/transports/streamable-http', 'An accepted notification is answered 202 without a body.'),
  'A-26': requirement(
    'basic/transports/streamable-http',
    'What precedes a response concerns that request; the response ends the stream.',
  ),
  'A-27': requirement(
    'basic/transports/streamable-http',
    'An event stream is not buffered on the way and is kept alive by comments.',
  ),
  'A-28': requirement('basic/transports/streamable-http', 'Streams have no event ids and nothing is replayed.'),
  'A-29': requirement('basic/transports/streamable-http', 'A method that is not served is 404 with a JSON-RPC error.'),
  'A-30': requirement('basic/transports/streamable-http', 'GET and DELETE are not served; session ids are ignored.'),
  'A-37': requirement('server/tools', 'An unknown tool and a malformed call are errors of the request.'),
  'A-38': requirement('server/resources', 'A missing resource is an error that names it, never an empty result.'),
  'A-42': requirement(
    'server/utilities/logging',
    'Logs are sent only when asked for, from the level asked for, on the call’s own stream.',
  ),
  'H-01': requirement(
    'basic/transports/streamable-http',
    'The version header is required and says what the envelope says.',
  ),
  'H-02': requirement('basic/transports/streamable-http', 'The method header is required and says what the body says.'),
  'H-03': requirement('basic/transports/streamable-http', 'The name header is required where something is named.'),
  'H-04': requirement(
    'basic/transports/streamable-http',
    'Missing, repeated, malformed and differing headers are refused alike.',
  ),
  'H-06': requirement('basic/transports/streamable-http', 'An argument that is mirrored needs its header.'),
  'H-10': requirement(
    'basic/transports/streamable-http',
    'Encoded header values are decoded strictly before they are compared.',
  ),
  'Q-13': requirement(OWN, 'JSON is served wherever it is acceptable; otherwise 406.'),
  // Rounds
  'D-02': requirement(
    'basic/patterns/mrtr',
    'Whatever a server asks of a client, it asks in the result of the client’s own request.',
  ),
  'D-05': requirement('basic/patterns/mrtr', 'A client is asked only what this request says it can answer.'),
  'D-07': requirement(
    'basic/patterns/mrtr',
    'A state that comes back is an attacker’s input until its seal is proved.',
  ),
  'D-08': requirement('basic/patterns/mrtr', 'A state is bound to its principal, its request and its time.'),
  'D-09': requirement(
    'basic/patterns/mrtr',
    'What may be consumed once is consumed once on the server, not only by the seal.',
  ),
  'D-10': requirement(
    'basic/patterns/mrtr',
    'A rejected state is a JSON-RPC error, neither a tool error nor a fresh ask.',
  ),
  'D-11': requirement(
    'basic/patterns/mrtr',
    'Answers are judged against what was asked; missing ones are asked for again.',
  ),
  'D-12': requirement('client/elicitation', 'Accept, decline and cancel lead to three different ends.'),
  'D-15': requirement(
    'basic/patterns/mrtr',
    'A retry brings this round’s answers only; earlier ones come from the state.',
  ),
  'D-20': requirement('client/elicitation', 'An empty elicitation capability means forms; url alone does not.'),
  'D-34': requirement('client/elicitation', 'Only an accepted form has content; its absence is never consent.'),
  'D-36': requirement('client/elicitation', 'A question belongs to the principal who was asked.'),
  'D-38': requirement('client/elicitation', 'What comes back is held against the form that was sent.'),
  'D-40': requirement(OWN, 'A state cannot be read by the client.'),
  'D-43': requirement(OWN, 'States outlive every process; keys are shared by all replicas.'),
  'D-45': requirement(OWN, 'Arguments are compared by meaning: the order of their keys does not matter.'),
  'D-48': requirement(OWN, 'A retry that declares less than the call before it ends the flow.'),
  'DSC-1': requirement(OWN, 'Who serves a call follows the EndpointSlices of a Service, without delay.'),
  'DSC-2': requirement(OWN, 'Only ready pods get new work; the last known set stands while the API server is away.'),
  'DSC-3': requirement(OWN, 'Workers are found by the labels of their Services, too.'),
  'KEY-1': requirement(OWN, 'Sealing keys come from a file that every router reads.'),
  'KEY-2': requirement(OWN, 'While keys are rotated, every state that has not expired opens on every replica.'),
  'KEY-7': requirement(OWN, 'A state is good for one audience, even where keys are shared.'),
  'KEY-9': requirement(OWN, 'Every failure of a state has the same bytes.'),
  'KEY-15': requirement(OWN, 'A key that is disabled opens nothing within one poll, and another one seals.'),
  // At most once
  'REP-2': requirement(OWN, 'The same attempt sent again gets the same result; another attempt is refused.'),
  'REP-3': requirement(OWN, 'Nothing that fails validation or authorisation uses a state up.'),
  'REP-4': requirement(OWN, 'A call runs only when enough replicas of the store have its claim.'),
  'REP-5': requirement(OWN, 'A store that has forgotten what is spent accepts nothing from before.'),
  'REP-7': requirement(OWN, 'Twins of a running attempt wait for its result.'),
  'REP-8': requirement(OWN, 'An attempt whose outcome was lost is never silently run again.'),
  'REP-9': requirement(OWN, 'A confirmed run finishes and is stored although its client has gone.'),
  'REP-10': requirement(OWN, 'Without the replay store nothing that must run once is run; the state stays good.'),
  'REP-11': requirement(OWN, 'Stored results are sealed.'),
  'REP-12': requirement(OWN, 'The store learns nothing about callers or answers.'),
  'REP-13': requirement(OWN, 'Rounds of tools that may run twice need no replay store.'),
  'REP-14': requirement(OWN, 'What cannot be known is said: outcome unknown.'),
  // Authorization
  'C-03': requirement('basic/authorization', 'A client without a token learns where to get one.'),
  'C-06': requirement('basic/authorization', 'A token that lacks a scope is answered with all scopes that are needed.'),
  'C-08': requirement('basic/authorization', 'A token that was not made for us is refused.'),
  'C-09': requirement('basic/authorization', 'A token goes no further than the router.'),
  'C-10': requirement('basic/authorization', 'Every request brings its token, in a header.'),
  'OAU-1': requirement('RFC 9728', 'What is published about us does not follow what a request calls us.'),
  'OAU-8': requirement(OWN, 'Keys may change, and their issuer may be away, while tokens are verified.'),
  'OAU-12': requirement('RFC 9449', 'A token that is bound to a key is good with a proof, and each proof once.'),
  // Policy, limits, audit
  'OAU-3': requirement(OWN, 'A missing scope is answered with all scopes of the call in one challenge, in each round.'),
  'OAU-4': requirement(OWN, 'A tool that destroys is closed until it is granted; lists show what may be called.'),
  B108: requirement(OWN, 'Who sends too much is refused by who they are, with a time to come again; nobody else is.'),
  'OAU-6': requirement('RFC 7662', 'A token that only its issuer can read is asked about there.'),
  'OBS-13': requirement(
    OWN,
    'Each decision about a call and what came of it are lines of the audit stream, without secrets.',
  ),
  // Subscriptions
  'F-02': requirement('basic/patterns/subscriptions', 'The acknowledgement comes first and names what is honoured.'),
  'F-03': requirement(
    'basic/patterns/subscriptions',
    'Every message on a stream carries the id of its subscription, in its own type.',
  ),
  'F-04': requirement('basic/patterns/subscriptions', 'Nothing is sent that was not asked for.'),
  'F-07': requirement('basic/patterns/subscriptions', 'A server that ends a stream answers the listen request first.'),
  'F-11': requirement(OWN, 'A malformed filter and one stream too many are refused before any acknowledgement.'),
  'F-12': requirement(OWN, 'Changes reach the streams of all replicas.'),
  'F-14': requirement(OWN, 'After a worker was lost, its changes may have been missed, and clients are told.'),
  'F-17': requirement(OWN, 'A replica that stops ends its streams and finishes its calls.'),
  // Cancellation, progress, logs
  'G-01': requirement('basic/patterns/progress', 'Progress is sent only for a token of this request, and rises.'),
  'G-02': requirement(OWN, 'Equal tokens of two callers do not mix.'),
  'G-03': requirement('basic/transports/streamable-http', 'A closed response is a cancelled request.'),
  'G-07': requirement(OWN, 'Cancellation reaches the worker.'),
  'G-09': requirement(OWN, 'A call that takes long is answered as a stream, so that the line is kept alive.'),
  // Trace context
  'I-02': requirement(OWN, 'The client’s context is the parent; a broken one is ignored.'),
  'I-05': requirement(OWN, 'Rounds of a flow are joined by links.'),
  'OBS-1': requirement('OpenTelemetry, MCP conventions', 'Every message has one span, named after method and target.'),
  'OBS-2': requirement('OpenTelemetry, MCP conventions', 'A message’s span names its request, and its links theirs.'),
  'OBS-4': requirement(
    'OpenTelemetry, MCP conventions',
    'A valid trace context in _meta is the parent; nothing fails over a bad one.',
  ),
  'OBS-6': requirement(
    OWN,
    'A round’s span links to the round before it and to the first, with or without client context.',
  ),
  'OBS-7': requirement(
    OWN,
    'A round is recorded when its parent or an earlier round was; nobody outside can force it.',
  ),
  'OBS-8': requirement(OWN, 'The span of a re-fetch links to the run whose result it repeats.'),
  'OBS-9': requirement(
    'OpenTelemetry, MCP conventions',
    'Operations are measured without the time in which people think.',
  ),
  'OBS-10': requirement(OWN, 'What nobody serves names no span and no series.'),
  'OBS-12': requirement(OWN, 'Arguments, answers, states, principals and keys are in no log and no trace.'),
  'OBS-14': requirement(OWN, 'The operator’s page tells how a router is doing, to operators alone.'),
  'OBS-15': requirement(OWN, 'Logs are JSON, hold only what is on a list, and are silent while all goes well.'),
  'TRC-1': requirement(OWN, 'A collector that is away holds up no call, and the log says so once a minute.'),
  // Operation
  'HLM-10': requirement(OWN, 'Dashboards ask only for what is exported, and show what happened.'),
  'SLO-2': requirement(OWN, 'Every rule can be evaluated, and what goes wrong has its alert.'),
  'HLM-11': requirement(OWN, 'Probes tell the truth about this process and wait for no other.'),
  'HLM-12': requirement(OWN, 'A process that is asked to stop finishes what it has.'),
  'HLM-13': requirement(OWN, 'An upgrade under load cuts no call, loses no flow, and ends every stream in order.'),
  'HLM-14': requirement(OWN, 'Idle connections are kept for longer than proxies keep theirs.'),
  'KIT-1': requirement(
    OWN,
    'A worker in a repository of its own is built and tested with the packed libraries and served by a router.',
  ),
  'LB-3': requirement(OWN, 'A call is sent to another worker only when the first did not begin it.'),
  'TST-1': requirement(OWN, 'At most one run and one answer a nonce, by a count that the store has no part in.'),
  'TST-2': requirement(OWN, 'The same while processes, the store, clocks and connections fail, alone and in pairs.'),
  'TST-6': requirement(OWN, 'Scenarios meet several replicas of everything, without keep-alive or affinity.'),
  // Reports from the field
  B97: requirement('field report', 'The published resource is the address that clients use, with its path.'),
  B141: requirement('field report', 'No part of a token is in a log, a trace, a store or an answer.'),
  B11: requirement('field report', 'A listed tool that cannot be served now is unavailable, not unknown.'),
  B37: requirement('field report', 'What runs is what the body says; a header that says otherwise stops it.'),
  B38: requirement('field report', 'Content-Type may carry a charset of UTF-8.'),
  B39: requirement('field report', 'What is acceptable is judged by quality, the same on every replica.'),
  B40: requirement('field report', 'Hosts are compared without regard to port and case.'),
  B45: requirement('field report', 'An envelope with ill-typed members is incomplete.'),
  B46: requirement('field report', 'A listen stream sends its head and first event at once.'),
  B47: requirement('field report', 'Many broken connections at once end nothing but themselves.'),
  B49: requirement('field report', 'A proxy’s idle timeout does not end a call that runs.'),
  B50: requirement('field report', 'No character of a text can end a line of an event stream.'),
  B55: requirement('field report', 'Streams are not compressed.'),
  B56: requirement('field report', 'An id of null is refused, not taken for a notification.'),
  B57: requirement('field report', 'Equal ids of different callers never cross.'),
  B59: requirement('field report', 'Batches, scalars and half a body are refused as what they are.'),
  B61: requirement('field report', 'A wrong jsonrpc member is not served.'),
  B62: requirement(
    'field report',
    'The limit on bodies is the same however they arrive, and larger than a framework’s default.',
  ),
  B66: requirement('field report', 'Names of inherited members are names like any other.'),
  B67: requirement('field report', 'Deep nesting and huge numbers end the request at most, not the process.'),
  B89: requirement('field report', 'The worker stops when the client goes.'),
  B90: requirement('field report', 'Progress tokens keep their type, zero and the empty string included.'),
  B91: requirement('field report', 'Callers with the same progress token hear their own call only.'),
  // Clients of 2025
  'K-01': requirement('basic/versioning', 'The envelope decides the era, not the header or the method.'),
  'K-08': requirement('2025-03-26', 'Batches are for the revision that has them, and never mixed.'),
  'K-10': requirement(OWN, 'GET and DELETE mean something with a session only; HTTP+SSE of 2024 is told so.'),
  'K-11': requirement('2025-11-25/lifecycle', 'initialize is answered with the revision asked for, or with ours.'),
  'K-12': requirement(OWN, 'A session is its principal’s, whoever else has its id.'),
  'K-13': requirement('2025-11-25/transports', 'A session that is unknown or gone is 404, a missing one 400.'),
  'K-14': requirement('2025-11-25/transports', 'A session that its client ended has ended on every router.'),
  'K-15': requirement('2025-11-25/transports', 'Changes are told on the stream of a GET, whichever router has it.'),
  'K-16': requirement('2025-11-25/transports', 'A version header other than the session’s is refused.'),
  'K-17': requirement('2025-11-25/transports', 'A lost line cancels nothing; a notification does, on any router.'),
  'K-18': requirement('2025-11-25', 'A log level and followed resources count on every router.'),
  'K-19': requirement(OWN, 'Any router serves any session; none is lost with a router.'),
  'K-20': requirement(
    '2025-03-26/authorization',
    'Its clients find the authorization server at the root of our origin.',
  ),
  'K-36': requirement(
    '2025-11-25/elicitation',
    'Who takes no stream is told what to open, and goes on by the same call, on any router.',
  ),
  'K-31': requirement(OWN, 'A question is a request on its call’s own stream.'),
  'K-32': requirement(OWN, 'An answer may reach any router; it is taken once, and of its own session only.'),
  'K-33': requirement(OWN, 'A legacy call goes on with its answers under the rules of a modern one.'),
  'K-34': requirement(OWN, 'What a client cannot be asked ends the call before anything is asked.'),
  'K-46': requirement(
    '2025-11-25/transports',
    'A client may be sent away from a call that runs, and is answered where it comes back; others are kept.',
  ),
  'K-35': requirement(OWN, 'A stream that waits for a person is kept alive.'),
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof REQUIREMENTS;
