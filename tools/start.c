/* The program; all else of it is a library, which the Python package and the tests have too. */
int optgap_main(int argc, char **argv);

int main(int argc, char **argv)
{
    return optgap_main(argc, argv);
}
