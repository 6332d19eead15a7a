/* The program's main under its own name, where all of the program is a library. */
int optgap_main(int argc, char **argv);

int main(int argc, char **argv)
{
    return optgap_main(argc, argv);
}
