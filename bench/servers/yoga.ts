/** GraphQL Yoga as its documentation sets it up, on the gateway's schema with plain resolvers. */
import { createSchema, createYoga } from 'graphql-yoga';
import { contextOf, end, resolvers, typeDefs } from './plain-resolvers.ts';
import { serve } from './ready.ts';

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers: resolvers as never }),
  context: ({ request }) => contextOf(request.headers.get('authorization')),
  graphiql: false,
  logging: false,
});
await serve(yoga as never, end);
