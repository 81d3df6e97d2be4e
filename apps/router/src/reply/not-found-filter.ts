/**
 * What nobody serves is answered without naming it: the framework's own answer repeats the whole address, and people put
 * secrets into addresses.
 */
import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

@Catch(NotFoundException)
export class NotFoundFilter implements ExceptionFilter {
  catch(_exception: NotFoundException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void reply.code(404).type('application/json').send('{"statusCode":404,"message":"Not Found"}');
  }
}
