"""A mail server for tests, on a free port of 127.0.0.1. TestSupport's MailServer starts it.

Prints what happens to standard output, one JSON object a line: first {"port": …}, then
{"connection": …} for each client, {"command": …} for each line from a client outside of messages,
and {"message": …} for each message, before it is accepted. Ends when standard input does.
"""

import argparse
import asyncio
import base64
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("--tls", choices=["off", "starttls", "implicit"], default="off")
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--user", help="require authentication")
parser.add_argument("--password")
parser.add_argument("--no-auth", action="store_true", help="offer no authentication")
parser.add_argument("--defer", type=int, default=0, help="respond with 451 to the first messages")
parser.add_argument("--reject", help="respond with 550 to this recipient")
parser.add_argument("--hang", choices=["connect", "content"], help="never respond")
parser.add_argument("--drop", choices=["content"], help="close the connection instead of responding")
options = parser.parse_args()


def report(**event):
    print(json.dumps(event), flush=True)


class Handler:
    def __init__(self):
        self.deferred = 0

    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if address == options.reject:
            return "550 5.1.1 there is nobody of that name"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.deferred < options.defer:
            self.deferred += 1
            return "451 4.7.1 please try again"
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        sender = parsed["From"].addresses[0]
        report(
            message={
                "sender": envelope.mail_from,
                "recipients": envelope.rcpt_tos,
                "bytes": base64.b64encode(envelope.content).decode(),
                "fields": [[name, str(value)] for name, value in parsed.items()],
                "fromName": sender.display_name,
                "fromAddress": sender.addr_spec,
                "text": parsed.get_content(),
                "defects": [str(defect) for defect in parsed.defects]
                + [str(defect) for value in parsed.values() for defect in value.defects],
                "isEncrypted": session.ssl is not None or options.tls == "implicit",
                "user": session.auth_data.login.decode() if session.authenticated else None,
            }
        )
        if options.hang == "content":
            await asyncio.sleep(3600)
        if options.drop == "content":
            server.transport.abort()
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    is_right = data.login == options.user.encode() and data.password == options.password.encode()
    if is_right:
        return AuthResult(success=True, auth_data=data)
    # A server may repeat the password, which must not get into a log.
    reply = b"535 5.7.8 wrong: " + data.password
    return AuthResult(success=False, handled=False, message=reply.decode())


class Server(SMTP):
    is_in_message = False

    def connection_made(self, transport):
        if self.transport is None:
            report(connection=1)
        super().connection_made(transport)

    async def _handle_client(self):
        if options.hang == "connect":
            await asyncio.sleep(3600)
        await super()._handle_client()

    async def smtp_DATA(self, argument):
        self.is_in_message = True
        try:
            await super().smtp_DATA(argument)
        finally:
            self.is_in_message = False

    def data_received(self, data):
        # What comes after a message's last line waits for the reply, so it is not in `data`.
        if not self.is_in_message:
            for line in data.splitlines():
                report(command=line.decode("utf-8", "replace"))
        super().data_received(data)


async def main():
    loop = asyncio.get_running_loop()
    context = None
    if options.tls != "off":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
    handler = Handler()

    def protocol():
        settings = dict(
            enable_SMTPUTF8=False,
            hostname="mail.test",
            loop=loop,
        )
        if options.tls == "starttls":
            settings.update(tls_context=context, require_starttls=True)
        if options.user:
            settings.update(
                authenticator=authenticate,
                auth_required=True,
                auth_require_tls=options.tls == "starttls",
            )
        if options.no_auth:
            settings.update(auth_exclude_mechanism=["LOGIN", "PLAIN"])
        return Server(handler, **settings)

    server = await loop.create_server(
        protocol, "127.0.0.1", 0, ssl=context if options.tls == "implicit" else None
    )
    report(port=server.sockets[0].getsockname()[1])
    # The tests hold the other end.
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
